"""Evidence by claim, and how calls went: the part of the current profile that comes from trying rather than from the card.

`evidence` (principal, agent): `claims`, sorted: each an `Evidence` as JSON with `since` (when this outcome began) and
`inconclusive` (the newest attempt that showed nothing: `at`, `reason`) or None. `calls` (principal, agent): `operations`, each
with `calls`, `errors` (all that failed), `contradicting`, `first_minute`, `last_minute`.
"""

from typing import Any

from cardtrail.events.fact import Stored, instant
from cardtrail.events.model.evidence import Claim
from cardtrail.events.model.profile import Profile
from cardtrail.events.probe_recorded import ProbeRecorded
from cardtrail.events.runtime_error_observed import CallsCounted, RuntimeErrorObserved
from cardtrail.projections.claims import claimed
from cardtrail.projections.projection import Row, Rows, Table

EVIDENCE = Table("evidence", key=("principal", "agent"))
CALLS = Table("calls", key=("principal", "agent"))


def probed(stored: Stored, event: ProbeRecorded, rows: Rows) -> None:
    """A probe's outcome; an inconclusive one never replaces what an earlier one showed."""
    at, held = instant(stored.fact.time), _held(event.agent, event.principal, event.claim, rows)
    if event.outcome == "inconclusive" and held is not None and held["outcome"] != "inconclusive":
        _set(event.agent, event.principal, {**held, "inconclusive": {"at": at, "reason": event.reason}}, rows)
        return
    row = _evidence(stored, event.claim, event.outcome, event.profile_digest, held)
    row |= {"reason": event.reason, "source": "probe", "trials": event.trials, "passes": event.passes}
    row |= {"p50_ms": event.p50_ms, "p95_ms": event.p95_ms}
    _set(event.agent, event.principal, row, rows)


def failed(stored: Stored, event: RuntimeErrorObserved, rows: Rows) -> None:
    """A call that contradicts a claim marks it until a probe shows that it holds."""
    if event.contradicts is None:
        return
    held = _held(event.agent, event.principal, event.contradicts, rows)
    row = _evidence(stored, event.contradicts, "contradicted", event.profile_digest, held)
    row |= {"reason": event.error, "source": "call", "trials": 1, "passes": 0, "p50_ms": None, "p95_ms": None}
    _set(event.agent, event.principal, row, rows)
    _count(event, {"contradicting": 1}, "", rows)


def counted(event: CallsCounted, rows: Rows) -> None:
    """One minute of calls."""
    _count(event, {"calls": event.calls, "errors": event.errors}, event.minute, rows)


def recompiled(agent: str, principal: str, old: Row | None, new: Profile, rows: Rows) -> None:
    """Evidence about a claim that the new profile makes otherwise is evidence no more."""
    held = rows.get(EVIDENCE.name, (principal, agent))
    if held is None or old is None:
        return
    before = Profile.model_validate(old)
    claims = [(Claim(**item["claim"]), item) for item in held["claims"]]
    kept = [item for claim, item in claims if claimed(before, claim) == claimed(new, claim)]
    rows.put(EVIDENCE.name, (principal, agent), {**held, "claims": kept})


def _evidence(stored: Stored, claim: Claim, outcome: str, profile_digest: str, held: Row | None) -> Row:
    at = instant(stored.fact.time)
    since = held["since"] if held is not None and held["outcome"] == outcome else at
    named = {"claim": claim.model_dump(mode="json"), "outcome": outcome, "at": at, "since": since}
    return named | {"profile_digest": profile_digest, "fact": str(stored.fact.id), "inconclusive": None}


def _held(agent: str, principal: str, claim: Claim, rows: Rows) -> Row | None:
    row = rows.get(EVIDENCE.name, (principal, agent)) or {"claims": []}
    named = claim.model_dump(mode="json")
    return next((item for item in row["claims"] if item["claim"] == named), None)


def _set(agent: str, principal: str, item: Row, rows: Rows) -> None:
    row = rows.get(EVIDENCE.name, (principal, agent)) or {"agent": agent, "principal": principal, "claims": []}
    others = [held for held in row["claims"] if held["claim"] != item["claim"]]
    rows.put(EVIDENCE.name, (principal, agent), {**row, "claims": sorted([*others, item], key=_order)})


def _order(item: Row) -> tuple[str, ...]:
    return tuple(item["claim"][part] or "" for part in ("kind", "skill", "value"))


def _count(event: RuntimeErrorObserved | CallsCounted, more: dict[str, int], minute: str, rows: Rows) -> None:
    key = (event.principal, event.agent)
    row = rows.get(CALLS.name, key) or {"agent": event.agent, "principal": event.principal, "operations": {}}
    empty: dict[str, Any] = {"calls": 0, "errors": 0, "contradicting": 0, "first_minute": minute, "last_minute": minute}
    tally = dict(row["operations"].get(event.operation, empty))
    tally |= {name: tally[name] + count for name, count in more.items()}
    if minute:
        tally["first_minute"] = min(tally["first_minute"] or minute, minute)
        tally["last_minute"] = max(tally["last_minute"], minute)
    operations = dict(sorted({**row["operations"], event.operation: tally}.items()))
    rows.put(CALLS.name, key, {**row, "operations": operations})
