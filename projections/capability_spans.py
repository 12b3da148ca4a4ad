"""From when to when each capability of an agent had which value, and how exactly that is known.

`closed_spans`, one row for each value that ended; `open_spans` (principal, agent), the values that hold; when these were last
seen, all alike, is in `sightings`. Instants are microseconds since 1970, less the `Age` of the answer.

A value began between `opened_from` (the last full answer with the value before; None = the first ever seen, or unknown before)
and `first_seen`, by the fact `opened_fact`; `opened_cause` says whether the card, our compiler or our client changed. It ended
between `last_confirmed` and `ended_by`, because it `changed`, was `removed`, the card became `unreadable`, or the agent
`untracked`: after the last two nothing is known until the next span begins.
"""

from typing import Any

from cardtrail.events.agent_tracked import AgentUntracked
from cardtrail.events.card_fetched import CardFetched
from cardtrail.events.card_refused import CardRefused
from cardtrail.events.fact import AgentEvent, Stored
from cardtrail.events.profile_compiled import ProfileCompiled
from cardtrail.projections.capabilities import capabilities
from cardtrail.projections.instants import micros
from cardtrail.projections.lateness import late
from cardtrail.projections.projection import Key, Row, Rows, Table
from cardtrail.projections.sightings import settled, sighted, sightings
from cardtrail.projections.trouble import trouble_kind

OPEN_SPANS = Table("open_spans", key=("principal", "agent"))
CLOSED_SPANS = Table(
    "closed_spans",
    columns={
        "principal": "VARCHAR",
        "agent": "VARCHAR",
        "capability": "VARCHAR",
        "value": "VARCHAR",
        "opened_from": "TIMESTAMP",
        "first_seen": "TIMESTAMP",
        "last_confirmed": "TIMESTAMP",
        "last_asserted": "TIMESTAMP",
        "ended_by": "TIMESTAMP",
        "ending": "VARCHAR",
        "opened_fact": "UUID",
        "opened_sequence": "UBIGINT",
        "opened_cause": "VARCHAR",
        "closed_fact": "UUID",
        "closed_sequence": "UBIGINT",
        "closed_cause": "VARCHAR",
    },
)
_HEARD = frozenset(event.kind for event in (CardFetched, CardRefused, AgentUntracked, ProfileCompiled))
Values = dict[str, list[Any]]
"""Capability → [value as JSON text, place of its opening]."""


class CapabilitySpans:
    """The fold over cards, profiles and what interrupts them."""

    name = "capability_spans"
    hears = _HEARD

    def apply(self, stored: Stored, rows: Rows) -> None:
        """Open, confirm or close spans by one fact; a late one changes none."""
        event = stored.fact.data
        if event.kind not in _HEARD or late(stored, rows):
            return
        match event:
            case CardFetched():
                sighted(stored, event, rows)
                _reopen(event, rows)
            case CardRefused() if trouble_kind(event) != "unreachable":
                _interrupt(stored, event, "unreadable", rows)
            case AgentUntracked():
                _interrupt(stored, event, "untracked", rows)
            case ProfileCompiled():
                _compiled(stored, event, rows)
            case _:
                pass


def _spans(key: Key, rows: Rows) -> Row:
    held = rows.get(OPEN_SPANS.name, key)
    return held or {
        "principal": key[0],
        "agent": key[1],
        "state": "open",
        "lost_at": None,
        "openings": [],
        "values": {},
    }


def _reopen(event: CardFetched, rows: Rows) -> None:
    """What held before an interruption holds again, from this answer on, unless a profile soon says otherwise."""
    key = (event.principal, event.agent)
    row = rows.get(OPEN_SPANS.name, key)
    if row is None or row["state"] == "open":
        return
    opening = {**sightings(key, rows)["last"], "cause": "card", "from": row["lost_at"]}
    values = {name: [value, 0] for name, (value, _) in row["values"].items()}
    rows.put(OPEN_SPANS.name, key, {**row, "state": "open", "openings": [opening], "values": values})


def _interrupt(stored: Stored, event: AgentEvent, ending: str, rows: Rows) -> None:
    key, at = (event.principal, event.agent), micros(stored.fact.time)
    row, seen = _spans(key, rows), sightings(key, rows)
    end = {"at": at, "fact": stored.fact.id.hex, "sequence": stored.sequence, "cause": "card"}
    end |= {"confirmed": seen["confirmed"], "asserted": seen["asserted"]}
    if row["state"] == "open":
        for name in row["values"]:
            _close(row, name, end, ending, rows)
    rows.put(OPEN_SPANS.name, key, {**row, "state": ending, "lost_at": at})


def _compiled(stored: Stored, event: ProfileCompiled, rows: Rows) -> None:
    """A profile settles the boundary of the card it rests on: what differs from the values that hold begins there."""
    key = (event.principal, event.agent)
    row, end = _spans(key, rows), _boundary(stored, event, sightings(key, rows))
    new = capabilities(event.profile, event.identity)
    opening = {name: end[name] for name in ("at", "fact", "sequence", "cause")} | {"from": end["confirmed"]}
    openings = [*row["openings"], opening]
    values: Values = {}
    for name, value in new.items():
        held = row["values"].get(name)
        values[name] = held if held is not None and held[0] == value else [value, len(openings) - 1]
    for name, (value, _) in row["values"].items():
        if row["state"] == "open" and new.get(name) != value:
            _close(row, name, end, "changed" if name in new else "removed", rows)
    settled(key, event.card_sequence, rows)
    rows.put(OPEN_SPANS.name, key, {**row, **_compact(openings, values)})


def _boundary(stored: Stored, event: ProfileCompiled, seen: Row) -> Row:
    """Where the new profile begins: at its card where that was new, else when we compiled it."""
    found = next((held for held in seen["boundaries"] if held["sequence"] == event.card_sequence), None)
    if found is not None and event.cause in {"card", "pin"}:
        return {**found, "cause": "card"}
    told = {
        "at": micros(stored.fact.time),
        "fact": stored.fact.id.hex,
        "sequence": stored.sequence,
        "cause": event.cause,
    }
    return {**told, "confirmed": seen["confirmed"], "asserted": seen["asserted"]}


def _compact(openings: list[Row], values: Values) -> Row:
    """Openings that no value names any more are dropped."""
    used = sorted({place for _, place in values.values()})
    renamed = {old: new for new, old in enumerate(used)}
    kept = {name: [value, renamed[place]] for name, (value, place) in sorted(values.items())}
    return {"openings": [openings[old] for old in used], "values": kept}


def _close(row: Row, name: str, end: Row, ending: str, rows: Rows) -> None:
    value, place = row["values"][name]
    opening = row["openings"][place]
    if opening["sequence"] == end["sequence"]:
        return  # reopened by the very card that changed it: it never held
    since = opening["at"]
    closed = {"principal": row["principal"], "agent": row["agent"], "capability": name, "value": value}
    closed |= {"opened_from": opening["from"], "first_seen": since}
    closed |= {f"last_{how}": end[how] if (end[how] or 0) >= since else None for how in ("confirmed", "asserted")}
    closed |= {"ended_by": end["at"], "ending": ending}
    closed |= {f"opened_{part}": opening[part] for part in ("fact", "sequence", "cause")}
    closed |= {f"closed_{part}": end[part] for part in ("fact", "sequence", "cause")}
    rows.append(CLOSED_SPANS.name, tuple(closed[column] for column in CLOSED_SPANS.columns or ()))
