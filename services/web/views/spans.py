"""Capability spans of one agent as a table: value, from, to, window, and the facts that bound it. Pure."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from cardtrail.events.fact import instant
from cardtrail.events.model.value import Value
from cardtrail.projections.capability_spans import CLOSED_SPANS, OPEN_SPANS
from cardtrail.projections.projection import Row, Rows
from cardtrail.projections.sightings import sightings

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST = (
    "usable",
    "interface",
    "interface.url",
    "interface.tenant",
    "interfaces",
    "streaming",
    "push",
    "extended_card",
)
_LAST = ("name", "version", "provider", "signature", "signer")


class Span(Value):
    """A value of a capability. Instants are RFC 3339 UTC, None where there is none.

    It began between `opened_from` (the value before was last seen then; None = nothing known before) and `first_seen`; it was
    last seen at `last_seen` and ended by `ended_by` (None = it holds), for the reason in `ending`. `opened` and `closed` are
    the sequences of the facts at its ends.
    """

    capability: str
    value: Any
    opened_from: str | None
    first_seen: str
    last_seen: str
    ended_by: str | None
    ending: str | None
    cause: str
    opened: int
    closed: int | None


def spans(rows: Rows, principal: str, agent: str) -> tuple[Span, ...]:
    """All of an agent's, by capability in the order of a profile, oldest first."""
    key = (principal, agent)
    closed = [row for row in rows.gathered(CLOSED_SPANS) if (row["principal"], row["agent"]) == key]
    found = [*map(_closed, closed), *_open(rows.get(OPEN_SPANS.name, key), sightings(key, rows))]
    return tuple(sorted(found, key=lambda span: (order(span.capability), span.first_seen, span.opened)))


def order(capability: str) -> tuple[int, int, str]:
    """Where a capability stands: what every call meets first, then skills, identity last."""
    if capability in _FIRST:
        return 0, _FIRST.index(capability), capability
    if capability in _LAST:
        return 3, _LAST.index(capability), capability
    return (1 if capability.startswith("skills.") else 2), 0, capability


def _closed(row: Row) -> Span:
    return Span(
        capability=row["capability"],
        value=json.loads(row["value"]),
        opened_from=_at(row["opened_from"]),
        first_seen=at(row["first_seen"]),
        last_seen=at(_last(row["first_seen"], row["last_confirmed"], row["last_asserted"])),
        ended_by=_at(row["ended_by"]),
        ending=row["ending"],
        cause=row["opened_cause"],
        opened=row["opened_sequence"],
        closed=row["closed_sequence"],
    )


def _open(row: Row | None, seen: Row) -> Iterator[Span]:
    if row is None or row["state"] != "open":
        return
    for capability, (value, place) in row["values"].items():
        opening = row["openings"][place]
        yield Span(
            capability=capability,
            value=json.loads(value),
            opened_from=_at(opening["from"]),
            first_seen=at(opening["at"]),
            last_seen=at(_last(opening["at"], seen["confirmed"], seen["asserted"])),
            ended_by=None,
            ending=None,
            cause=opening["cause"],
            opened=opening["sequence"],
            closed=None,
        )


def _last(first: int, *seen: int | None) -> int:
    return max(first, *(at or 0 for at in seen))


def at(micros: int) -> str:
    """Microseconds since 1970 as RFC 3339."""
    return instant(_EPOCH + timedelta(microseconds=micros))


def _at(micros: int | None) -> str | None:
    return None if micros is None else at(micros)
