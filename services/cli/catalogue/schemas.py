"""Every published JSON Schema (2020-12), generated from the code: `event.KIND`, `lockfile`, planners' shapes, outputs."""

import re
from collections.abc import Callable
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode, JsonSchemaValue
from pydantic_core import CoreSchema

from cardtrail.events import EVENTS
from cardtrail.events.fact import AgentEvent, Event
from cardtrail.events.model.value import Value
from cardtrail.services.cli import COMMANDS
from cardtrail.services.cli.catalogue.planner_shapes import CHANNELS
from cardtrail.services.verdict.lock import LOCKFILE_VERSION, lockfile_schema

DIALECT = "https://json-schema.org/draft/2020-12/schema"
Schema = dict[str, Any]
_OUTPUTS = "cardtrail.services.cli.outputs"
_UUID: Schema = {"type": "string", "format": "uuid"}


class _Plain(GenerateJsonSchema):
    """Without a title that repeats each member's name."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ANN401 — pydantic's signature
        del schema
        return False


class _Open(_Plain):
    """For readers: a later release may add members."""

    def generate(self, schema: CoreSchema, mode: JsonSchemaMode = "validation") -> JsonSchemaValue:
        opened: JsonSchemaValue = _opened(super().generate(schema, mode))
        return opened


def _opened(schema: Any) -> Any:  # noqa: ANN401 — any part of a schema
    if isinstance(schema, dict):
        return {
            key: _opened(value)
            for key, value in schema.items()
            if not (key == "additionalProperties" and value is False)
        }
    return [_opened(item) for item in schema] if isinstance(schema, list) else schema


def schemas() -> dict[str, Callable[[], Schema]]:
    """Name → what makes the schema; names are those of `cardtrail schema NAME`."""
    outputs = {entry.name: entry.module for entry in COMMANDS if _publishes(entry.module)} | {"error": "error"}
    return {
        **{f"event.{kind}": partial(event_schema, event) for kind, event in EVENTS.items()},
        "lockfile": lock_schema,
        **{name: partial(shape_schema, name, channel.shape) for name, channel in CHANNELS.items()},
        **{name: partial(output_schema, name, module) for name, module in outputs.items()},
    }


def event_schema(event: type[Event], place: str = "#") -> Schema:
    """A CloudEvent 1.0 that carries this event; `data` leaves out members at their default.

    `place` is where the schema will stand in a larger document (JSON pointer), so that its references hold there.
    """
    data = event.model_json_schema(ref_template=place + "/$defs/{model}", schema_generator=_Plain)
    definitions = data.pop("$defs", {})
    if issubclass(event, AgentEvent):
        data["properties"] = {
            name: field for name, field in data["properties"].items() if name not in {"agent", "principal"}
        }
        data["required"] = [name for name in data.get("required", ()) if name != "agent"]
    about = {"subject": {"type": "string", "description": "the agent"}, "principal": {"type": "string"}}
    properties = {
        "specversion": {"const": "1.0"},
        "id": _UUID,
        "source": {"type": "string"},
        "type": {"const": event.type_name()},
        "time": {"type": "string", "format": "date-time"},
        **(about if issubclass(event, AgentEvent) else {}),
        "correlationid": _UUID,
        "causationid": _UUID,
        "data": data,
    }
    required = ["specversion", "id", "source", "type", "time", "data"]
    return {
        **_head(f"event.{event.kind}", event.version, event.__name__),
        "type": "object",
        "properties": properties,
        "required": [*required, "subject"] if issubclass(event, AgentEvent) else required,
        **({"$defs": definitions} if definitions else {}),
    }


def shape_schema(name: str, shape: type[Value], place: str = "#") -> Schema:
    """What planners read from buckets and subjects, or report; `place` as for events."""
    made = shape.model_json_schema(ref_template=place + "/$defs/{model}", schema_generator=_Open)
    return {**_head(name, 1, shape.__name__), **_titled(made)}


def lock_schema() -> Schema:
    """The lockfile as it may be written by hand: optional members left out."""
    return {**_head("lockfile", LOCKFILE_VERSION, "Cardtrail lockfile"), **lockfile_schema()}


def output_schema(name: str, module: str) -> Schema:
    """The output of a command as printed: every member is there."""
    shapes = import_module(f"{_OUTPUTS}.{module}").OUTPUTS
    union = shapes[0]
    for shape in shapes[1:]:
        union |= shape
    schema = TypeAdapter(union).json_schema(mode="serialization", schema_generator=_Open)
    version = re.search(r"cardtrail\.[a-z-]+/(\d+)", str(schema))
    return {**_head(name, int(version[1]) if version else 1, f"cardtrail {name} --json"), **_titled(schema)}


def _publishes(module: str) -> bool:
    """A command that runs a service prints no document, and has no shape."""
    return find_spec(f"{_OUTPUTS}.{module}") is not None


def _head(name: str, version: int, title: str) -> Schema:
    return {"$schema": DIALECT, "$id": f"urn:cardtrail:schema:{name}:{version}", "title": title}


def _titled(schema: Schema) -> Schema:
    return {key: value for key, value in schema.items() if key != "title"}
