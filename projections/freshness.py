"""How fresh the knowledge of an agent is: when it was last heard, what is in the way. Instants only, never an age.

`freshness` (principal, agent): `tracked`, `provider`, `source_kind`, `interval_s`, `location`, `status`, `latency_ms`,
`signature`; `last_attempt`, `last_success`, `last_confirmed` (answered in full), `last_asserted` (304; both minus `Age`);
`judged_through`, the sequence of the last observation that changed nothing or that a profile rests on; `trouble` since the last
success or None: `kind` (as `trouble`), `since`, `stage`, `reason`, `detail`, `fault`, `status`, `attempts`;
`full` and `digests` (card, signatures) name the last answer that came in full.
"""

from datetime import datetime, timedelta

from cardtrail.events.agent_tracked import AgentTracked
from cardtrail.events.card_fetched import CardFetched
from cardtrail.events.card_refused import CardRefused
from cardtrail.events.fact import AgentEvent, Stored, instant
from cardtrail.events.profile_compiled import ProfileCompiled
from cardtrail.projections.projection import Row, Rows, Table
from cardtrail.projections.trouble import trouble_kind

FRESHNESS = Table("freshness", key=("principal", "agent"))
_UNHEARD: Row = {
    "tracked": False,
    "provider": "",
    "source_kind": "",
    "interval_s": 0,
    "location": "",
    "status": 0,
    "latency_ms": 0,
    "signature": "absent",
    "last_attempt": None,
    "last_success": None,
    "last_confirmed": None,
    "last_asserted": None,
    "judged_through": 0,
    "trouble": None,
    "full": 0,
    "digests": ["", ""],
}
NOT_MODIFIED = 304


def seen(stored: Stored, event: CardFetched) -> datetime:
    """The instant of which the answer speaks: when it came, less the age it had then (RFC 9111 §5.1)."""
    age = event.freshness.age_s
    return stored.fact.time - timedelta(seconds=age) if age else stored.fact.time


def digests(event: CardFetched) -> list[str]:
    """What tells two full answers apart: the card, and the set of its signatures."""
    return [event.semantic_digest, event.signatures_digest]


def unchanged(event: CardFetched, full: int, held: list[str]) -> bool:
    """Whether this answer is the one at sequence `full` again, whose digests are `held`."""
    return event.same_as == full or (event.same_as is None and digests(event) == held)


def tracked(event: AgentTracked, rows: Rows) -> None:
    """We watch from now on."""
    told = {
        "tracked": True,
        "provider": event.provider,
        "source_kind": event.source_kind,
        "interval_s": event.interval_s,
    }
    _put(event, told, rows)


def untracked(event: AgentEvent, rows: Rows) -> None:
    """We watch no more; what was known stays."""
    _put(event, {"tracked": False}, rows)


def fetched(stored: Stored, event: CardFetched, rows: Rows) -> None:
    """An answer was had: trouble ends, and an answer that changed nothing needs no new judgement."""
    held, at = _row(event, rows), instant(stored.fact.time)
    row = {
        **held,
        "last_attempt": at,
        "last_success": at,
        "trouble": None,
        "status": event.status,
        "latency_ms": event.latency_ms,
        "signature": event.signature.outcome,
    }
    how = "last_asserted" if event.status == NOT_MODIFIED else "last_confirmed"
    row[how] = instant(seen(stored, event)) if event.freshness.age_s else at
    if unchanged(event, held["full"], held["digests"]):
        row["judged_through"] = stored.sequence
    if event.same_as is None:
        row |= {"location": event.location, "full": stored.sequence, "digests": digests(event)}
    rows.put(FRESHNESS.name, (event.principal, event.agent), row)


def refused(stored: Stored, event: CardRefused, rows: Rows) -> None:
    """No usable card: the last good profile stays, and this says why it grows old."""
    at, before = instant(stored.fact.time), _row(event, rows)["trouble"]
    trouble: Row = {"kind": trouble_kind(event), "stage": event.stage, "reason": event.reason, "detail": event.detail}
    trouble |= {"fault": event.fault, "status": event.status}
    trouble |= {"since": before["since"] if before else at, "attempts": before["attempts"] + 1 if before else 1}
    _put(event, {"last_attempt": at, "trouble": trouble}, rows)


def compiled(event: ProfileCompiled, rows: Rows) -> None:
    """A profile rests on the observation `card_sequence`."""
    _put(event, {"judged_through": max(_row(event, rows)["judged_through"], event.card_sequence)}, rows)


def _row(event: AgentEvent, rows: Rows) -> Row:
    held = rows.get(FRESHNESS.name, (event.principal, event.agent))
    return {"agent": event.agent, "principal": event.principal, **_UNHEARD} if held is None else held


def _put(event: AgentEvent, told: Row, rows: Rows) -> None:
    rows.put(FRESHNESS.name, (event.principal, event.agent), _row(event, rows) | told)
