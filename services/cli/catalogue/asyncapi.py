"""The AsyncAPI 3.0 document of the log and of what planners use: channels are NATS subjects; generated from the code."""

from typing import Any

from cardtrail.events import EVENTS
from cardtrail.events.fact import Event
from cardtrail.events.model.value import Value
from cardtrail.services.cli.catalogue.planner_shapes import CHANNELS
from cardtrail.services.cli.catalogue.schemas import event_schema, shape_schema
from cardtrail.services.cli.events import subject_pattern, summary

_PLACES = {
    "shard": "one hex digit of sha256(agent)",
    "agent": "the agent as a subject token: plain, or =XX per byte",
    "principal": "the principal as a subject token; public without credentials",
    "key": "what a fact is about beyond its agent: a workflow or a claim as a token, else -",
    "workflow": "the workflow as a subject token",
    "bucket": "the principal where letters, digits and - spell it (at most 64), else _h and 40 hex digits of its sha256",
    "skill": "the skill as the lock names it, as a subject token; = where a lock names none",
    "service": "fetcher, compiler, decider, projector or another service of the tracker",
}
LIVE = "cardtrail.live.decisions.<workflow>.<agent>"


def asyncapi(release: str) -> dict[str, Any]:
    """The whole document: a channel per event, and the live copy of decisions for planners in any language."""
    channels = {kind: _channel(subject_pattern(event), kind, summary(event)) for kind, event in EVENTS.items()}
    channels["live-decisions"] = _channel(LIVE, "change-decided", summary(EVENTS["change-decided"]))
    channels |= {name: _channel(one.subject, name, _first_line(one.shape)) for name, one in CHANNELS.items()}
    said = {name for name, one in CHANNELS.items() if one.sent_by_planner}
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Cardtrail",
            "version": release,
            "description": "Facts about what remote A2A agents said they can do, each a CloudEvent 1.0 in structured JSON.",
            "license": {"name": "Apache-2.0"},
        },
        "defaultContentType": "application/cloudevents+json",
        "servers": {"broker": {"host": "127.0.0.1:4222", "protocol": "nats", "description": "NATS with JetStream"}},
        "channels": channels,
        "operations": {
            f"{'say' if name in said else 'hear'}-{name}": _operation(name, "send" if name in said else "receive")
            for name in channels
        },
        "components": {
            "messages": {kind: _message(event) for kind, event in EVENTS.items()}
            | {name: _shape(name, one.shape) for name, one in CHANNELS.items()}
        },
    }


def _channel(pattern: str, kind: str, says: str) -> dict[str, Any]:
    places = [place for place in _PLACES if f"<{place}>" in pattern]
    return {
        "address": pattern.replace("<", "{").replace(">", "}"),
        "description": says,
        "messages": {kind: {"$ref": f"#/components/messages/{kind}"}},
        **({"parameters": {place: {"description": _PLACES[place]} for place in places}} if places else {}),
    }


def _operation(name: str, action: str) -> dict[str, Any]:
    return {"action": action, "channel": {"$ref": f"#/channels/{name}"}}


def _message(event: type[Event]) -> dict[str, Any]:
    schema = event_schema(event, f"#/components/messages/{event.kind}/payload/schema")
    return {
        "name": event.type_name(),
        "title": event.__name__,
        "contentType": "application/cloudevents+json",
        "payload": {"schemaFormat": "application/schema+json;version=draft-2020-12", "schema": schema},
    }


def _shape(name: str, shape: type[Value]) -> dict[str, Any]:
    schema = shape_schema(name, shape, f"#/components/messages/{name}/payload/schema")
    return {
        "name": f"cardtrail.{name}",
        "title": shape.__name__,
        "contentType": "application/json",
        "payload": {"schemaFormat": "application/schema+json;version=draft-2020-12", "schema": schema},
    }


def _first_line(shape: type[Value]) -> str:
    return (shape.__doc__ or "").strip().splitlines()[0]
