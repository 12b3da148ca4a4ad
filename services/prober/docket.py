"""All tests of one agent, changed by what happens to them. Pure: values in, values out."""

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta

from cardtrail.events.fact import Stored
from cardtrail.events.model.evidence import Claim
from cardtrail.events.probe_recorded import ProbeRecorded, ProbeStarted
from cardtrail.services.contract import SafetyContract
from cardtrail.services.prober.allowance import DAY, earliest
from cardtrail.services.prober.memory import Check, Checks
from cardtrail.services.prober.probes import PROBES

Planned = tuple[tuple[str, Claim], ...]


def replanned(checks: Checks, plan: Planned, is_affected: Callable[[Claim], bool], now: datetime) -> Checks:
    """The tests of a new plan: what is new or affected is due now; what is under way stays until it is recorded."""
    held = {(check.probe, check.claim): check for check in checks.entries}
    kept = []
    for probe, claim in plan:
        check = held.pop((probe, claim), None) or Check(probe=probe, claim=claim, due=now)
        anew = {"due": now, "fruitless": 0} if is_affected(claim) else {}
        kept.append(check.model_copy(update={**anew, "asked": False}))
    left = (check for check in held.values() if check.started or (check.asked and not is_affected(check.claim)))
    return checks.model_copy(update={"entries": (*kept, *left)})


def wanted(
    checks: Checks, tests: Iterable[tuple[str, Claim]], now: datetime, *, gap: timedelta | None = None
) -> Checks:
    """These tests are wanted now, planned or not; with a `gap`, not before so long after their last attempt."""
    entries = list(checks.entries)
    for probe, claim in tests:
        at = next((n for n, check in enumerate(entries) if check.is_of(probe, claim)), None)
        if at is None:
            entries.append(Check(probe=probe, claim=claim, due=now, asked=True))
            continue
        held = entries[at]
        due = now if gap is None or held.last is None else max(now, held.last + gap)
        entries[at] = held.model_copy(update={"due": min(due, held.due)})
    return checks.model_copy(update={"entries": tuple(entries)})


def at_once(checks: Checks, now: datetime) -> Checks:
    """Every test is wanted now."""
    return wanted(checks, [(check.probe, check.claim) for check in checks.entries], now)


def started(checks: Checks, stored: Stored, event: ProbeStarted) -> Checks:
    """A request is about to leave: its budget is spent, and its test is under way."""
    now = stored.stored_at
    spent = tuple(at for at in (*checks.spent, now) if now - at < DAY) if event.runs_message else checks.spent
    entries = tuple(
        check.model_copy(update={"started": check.started or stored.fact.id, "started_at": now})
        if check.is_of(event.probe, event.claim)
        else check
        for check in checks.entries
    )
    return checks.model_copy(update={"entries": entries, "spent": spent, "through": stored.sequence})


def recorded(checks: Checks, event: ProbeRecorded, now: datetime, due: Callable[[Check], datetime]) -> Checks:
    """A test came to an end; one that was only asked for is done."""
    entries = []
    for check in checks.entries:
        if not check.is_of(event.probe, event.claim):
            entries.append(check)
        elif not check.asked:
            fruitless = check.fruitless + 1 if event.outcome == "inconclusive" else 0
            ended = {"started": None, "started_at": None, "last": now, "outcome": event.outcome, "due": due(check)}
            entries.append(check.model_copy(update={**ended, "fruitless": fruitless}))
    return checks.model_copy(update={"entries": tuple(entries), "turn": checks.turn + 1})


def soonest(checks: Checks, contract: SafetyContract | None, patience_s: float) -> tuple[Check, datetime] | None:
    """The test that comes next and when; one under way is given up after `patience_s` seconds (None = nothing is wanted)."""
    times = ((check, _when(check, checks, contract, patience_s)) for check in checks.entries if check.probe in PROBES)
    return min(times, key=lambda one: one[1], default=None)


def _when(check: Check, checks: Checks, contract: SafetyContract | None, patience_s: float) -> datetime:
    if check.started_at is not None:
        return check.started_at + timedelta(seconds=patience_s)
    runs = PROBES[check.probe].runs_message
    return earliest(contract, check.due, runs_message=runs, spent=checks.spent)
