"""From stored bytes to a fact: the sole decoder, and the ladder that lifts older shapes to the newest."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from pydantic import ValidationError
from pydantic_core import SchemaValidator, core_schema

from cardtrail.events import EVENTS
from cardtrail.events.errors import EventRefused
from cardtrail.events.fact import PUBLIC, TYPE_PREFIX, AgentEvent, Event, Fact

UPCASTERS: dict[tuple[str, int], Callable[[dict[str, Any]], dict[str, Any]]] = {}
"""(kind, version) → a function that lifts that version's `data` to version + 1."""

_ENVELOPE = SchemaValidator(
    core_schema.typed_dict_schema(
        {
            name: core_schema.typed_dict_field(schema, required=False)
            for names, schema in (
                (("type", "source", "subject", "principal", "time"), core_schema.str_schema()),
                (("id", "correlationid", "causationid"), core_schema.uuid_schema()),
                (("data",), core_schema.nullable_schema(core_schema.dict_schema())),
            )
            for name in names
        }
    )
)
"""The members of an envelope that we read, each of its type; which must be there is asked once it is known what it is."""
_Payload = tuple[Callable[[dict[str, Any]], Event], bool]
_NEWEST: dict[str, _Payload] = {}
"""CloudEvents `type` → what validates its `data`, and whether it is about an agent."""


def decode(data: bytes) -> Fact:
    """The fact in stored CloudEvents JSON.

    Raises:
        EventRefused: `broken-event`, `unknown-event` or `unknown-version` (a newer release wrote it).
    """
    try:
        envelope = _ENVELOPE.validate_json(data)
        body = envelope.get("data") or {}
        payload = _NEWEST.get(envelope["type"])
        if payload is None:
            payload, body = _lifted(envelope["type"], body)
        validate, about_agent = payload
        if about_agent:
            body["agent"] = envelope["subject"]
            body["principal"] = envelope.get("principal", PUBLIC)
        return Fact.trusted(
            {
                "id": envelope["id"],
                "source": envelope["source"],
                "time": _instant(envelope["time"]),
                "correlation": envelope.get("correlationid"),
                "causation": envelope.get("causationid"),
                "data": validate(body),
            }
        )
    except EventRefused:
        raise
    except Exception as error:  # whoever may write to the log chose these bytes: no way to fail is left out
        raise EventRefused("broken-event", f"not a readable event: {_said(error)}") from error


def _said(error: Exception) -> str:
    """In one line what was wrong, without the bytes themselves."""
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False, include_input=False)[0]
        return ": ".join((".".join(str(part) for part in first["loc"]) or "$", first["msg"]))[:300]
    return f"{type(error).__name__}: {error}"[:300]


def _instant(text: str) -> datetime:
    """The instant in UTC: what is reckoned with it later takes half of the time that another zone's would."""
    at = datetime.fromisoformat(text)
    if at.tzinfo is None:
        raise ValueError("an instant without offset")
    return at.astimezone(UTC)


def _lifted(type_name: str, body: dict[str, Any]) -> tuple[_Payload, dict[str, Any]]:
    """What reads this type, and its `data` in the newest shape."""
    kind, _, number = type_name.removeprefix(TYPE_PREFIX).rpartition(".v")
    event, version = EVENTS.get(kind), int(number)
    if event is None:
        raise EventRefused("unknown-event", f"type {type_name!r} is not known to this release")
    if version > event.version:
        raise EventRefused("unknown-version", f"{kind} v{version} is newer than v{event.version}, the newest read here")
    for step in range(version, event.version):
        body = UPCASTERS[(kind, step)](body)
    # Its validator itself, for `model_validate` takes a fifth longer, and a rebuild calls it a million times.
    payload = (event.__pydantic_validator__.validate_python, issubclass(event, AgentEvent))
    if version == event.version:
        _NEWEST[type_name] = payload
    return payload, body
