"""What probes and real calls showed, kept while it counts.

A probe counts while the profile it tested and the profile in force say the same of its claim. What contradicts a claim is
cleared by a probe that holds, by nothing else: not by time, and not by taking the claim back for a while.
"""

from cardtrail.events.fact import Stored, instant
from cardtrail.events.model.evidence import Claim, Evidence
from cardtrail.events.model.policy import Policy
from cardtrail.events.model.profile import Profile
from cardtrail.events.probe_recorded import ProbeRecorded
from cardtrail.events.runtime_error_observed import CallsCounted, RuntimeErrorObserved
from cardtrail.projections.claims import claimed
from cardtrail.projections.projection import Key, Rows
from cardtrail.services.decider.dependants import pairs_of
from cardtrail.services.decider.memory import Proof, State, Tallies, Tally
from cardtrail.services.kept import drop, load, save
from cardtrail.services.verdict.claims import same_claim
from cardtrail.services.verdict.view import ContradictingCalls

_AGAINST, _FINE = "x", "."
_WINDOWS = 4


def probed(stored: Stored, event: ProbeRecorded, rows: Rows, agent: str, states: tuple[State, ...]) -> bool:
    """Keep a conclusive probe of a claim that still stands; says whether it changed anything."""
    tested = next((state for state in reversed(states) if state.profile_digest == event.profile_digest), None)
    if event.outcome == "inconclusive" or tested is None:
        return False
    if claimed(tested.profile, event.claim) != claimed(states[-1].profile, event.claim):
        return False
    key = (agent, event.principal)
    proof = load(rows, Proof, key) or Proof()
    others = tuple(entry for entry in proof.entries if entry.claim != event.claim)
    save(rows, key, Proof(entries=(*others, _evidence(stored, event))))
    if event.outcome == "held":
        for pair in pairs_of(rows, agent, event.principal):
            _keep(rows, pair, [tally for tally in _tallies(rows, pair) if not same_claim(tally.claim, event.claim)])
    return True


def outlived(rows: Rows, key: Key, old: Profile, new: Profile) -> None:
    """The agent claims otherwise now: what a probe saw hold counts no longer where its claim has changed."""
    proof = load(rows, Proof, key)
    if proof is not None:
        kept = [
            entry
            for entry in proof.entries
            if entry.outcome == "contradicted" or claimed(old, entry.claim) == claimed(new, entry.claim)
        ]
        save(rows, key, Proof(entries=tuple(kept)))


def failed(event: RuntimeErrorObserved, rows: Rows, pair: Key, policy: Policy) -> bool:
    """Count a call that contradicted a claim; says whether it did."""
    claim = event.contradicts
    if claim is None:
        return False
    tallies = _tallies(rows, pair)
    fresh = Tally(claim=claim, operation=event.operation, skill=event.skill)
    held = next((tally for tally in tallies if _same(tally, claim, event.operation)), fresh)
    others = [tally for tally in tallies if tally != held]
    _keep(rows, pair, [*others, _counted(held, _AGAINST, policy)])
    return True


def counted(event: CallsCounted, rows: Rows, pair: Key, policy: Policy) -> bool:
    """Calls that went well speak for the claims of their operation; says whether any was in doubt.

    Calls that failed otherwise say nothing, and those that contradicted a claim were told one by one.
    """
    tallies = _tallies(rows, pair)
    fine = _FINE * min(event.calls - event.errors, _WINDOWS * policy.contradicting_of)
    told = [_counted(tally, fine, policy) if _concerns(event, tally) else tally for tally in tallies]
    _keep(rows, pair, [tally for tally in told if _AGAINST in tally.calls])
    return told != tallies


def runtime(rows: Rows, pair: Key) -> tuple[ContradictingCalls, ...]:
    """What real calls of this workflow say, claim by claim."""
    return tuple(
        ContradictingCalls(
            claim_kind=tally.claim.kind,
            skill=tally.claim.skill,
            value=tally.claim.value,
            contradicting=tally.calls.count(_AGAINST),
            calls=len(tally.calls),
        )
        for tally in _tallies(rows, pair)
    )


def _evidence(stored: Stored, event: ProbeRecorded) -> Evidence:
    return Evidence(
        claim=event.claim,
        outcome=event.outcome,
        reason=event.reason,
        at=instant(stored.fact.time),
        profile_digest=event.profile_digest,
        fact=str(stored.fact.id),
        trials=event.trials,
        passes=event.passes,
        p50_ms=event.p50_ms,
        p95_ms=event.p95_ms,
    )


def _counted(tally: Tally, calls: str, policy: Policy) -> Tally:
    recent = (tally.calls + calls)[-_WINDOWS * policy.contradicting_of :]
    return tally.model_copy(update={"calls": recent})


def _same(tally: Tally, claim: Claim, operation: str) -> bool:
    return tally.operation == operation and tally.claim == claim


def _concerns(event: CallsCounted, tally: Tally) -> bool:
    return event.operation == tally.operation and event.skill in (None, tally.skill)


def _tallies(rows: Rows, pair: Key) -> list[Tally]:
    return list((load(rows, Tallies, pair) or Tallies()).entries)


def _keep(rows: Rows, pair: Key, tallies: list[Tally]) -> None:
    if tallies:
        save(rows, pair, Tallies(entries=tuple(tallies)))
    else:
        drop(rows, Tallies, pair)
