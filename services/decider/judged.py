"""One pair before the judge: is it time, what is known, and what the people concerned have accepted."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from cardtrail.events.change_decided import Action
from cardtrail.events.model.lockfile import Lockfile
from cardtrail.events.model.policy import EndpointPolicy, Policy
from cardtrail.projections.projection import Key
from cardtrail.services.decider import deadlines, evidence, trouble
from cardtrail.services.decider.memory import Acknowledged, Pin, Proof
from cardtrail.services.decider.moment import Moment
from cardtrail.services.kept import load, save
from cardtrail.services.verdict.view import Baseline, Judgement, Observed

Judge = Callable[[Lockfile, Baseline, Observed, Policy, datetime], Judgement]
_RANK = {"compatible": 0, "review": 1, "breaking": 2}


@dataclass(frozen=True)
class Judged:
    """What the judge said: `open` are the fingerprints of all findings but notes, `acknowledged` those accepted by a person."""

    judgement: Judgement
    action: Action
    open: tuple[str, ...]
    acknowledged: tuple[str, ...]


def is_due(moment: Moment, pinned: Pin) -> bool:
    """Whether a lock can be judged: an observation after its pin was compiled, or there is none within all patience."""
    troubled = trouble.at(moment.watch, moment.policy, moment.watch.now)
    return moment.watch.card_sequence > pinned.sequence or (troubled is not None and troubled.beyond)


def judged(judge: Judge, moment: Moment, pair: Key, pinned: Pin) -> Judged:
    """The verdict for one pair. While cards take turns, the worst of their verdicts stands."""
    policy = _with_source(moment)
    said = [
        judge(pinned.lock, pinned.baseline, observed, policy, moment.watch.now) for observed in _observed(moment, pair)
    ]
    judgement = max(said, key=_weight)
    now_open = tuple(sorted(finding.fingerprint for finding in judgement.findings if finding.severity != "note"))
    accepted = _accepted(moment, pair, now_open)
    proof = load(moment.rows, Proof, (moment.agent, moment.principal)) or Proof()
    own_limit = pinned.lock.evidence_max_age_s
    age = policy.evidence_max_age_s if own_limit is None else own_limit
    deadlines.evidence(moment.rows, pair, proof, age, moment.watch.now)
    return Judged(judgement, _action(judgement, now_open, accepted), now_open, accepted)


def _observed(moment: Moment, pair: Key) -> tuple[Observed, ...]:
    states = moment.states()
    turns = dict(zip(moment.watch.recent, states, strict=True))
    considered = tuple(turns.values()) if moment.watch.flapping else states[-1:]
    proof = load(moment.rows, Proof, (moment.agent, moment.principal)) or Proof()
    known = Observed(
        trouble=trouble.at(moment.watch, moment.policy, moment.watch.now),
        flapping=moment.watch.flapping,
        evidence=proof.entries,
        runtime=evidence.runtime(moment.rows, pair),
    )
    return tuple(known.model_copy(update=dict(state)) for state in considered) or (known,)


def _weight(said: Judgement) -> tuple[int, list[str]]:
    """Worst first; among equals always the same one, whichever card was seen last."""
    return _RANK[said.verdict], sorted(finding.fingerprint for finding in said.findings)


def _accepted(moment: Moment, pair: Key, now_open: tuple[str, ...]) -> tuple[str, ...]:
    """Which open findings are accepted; an acceptance ends with its change and with its date."""
    held, now = load(moment.rows, Acknowledged, pair) or Acknowledged(), moment.watch.now
    left = Acknowledged(
        entries=tuple(
            one
            for one in held.entries
            if one.fingerprint in now_open and (one.until is None or datetime.fromisoformat(one.until) > now)
        )
    )
    if held.entries:
        save(moment.rows, pair, left)
        deadlines.acknowledgements(moment.rows, pair, held, left, now)
    return tuple(sorted(one.fingerprint for one in left.entries))


def _action(judgement: Judgement, now_open: tuple[str, ...], accepted: tuple[str, ...]) -> Action:
    """An accepted review is let through; an accepted break stays a break."""
    if judgement.verdict == "review" and set(now_open) <= set(accepted):
        return "allow-degraded" if judgement.degraded else "allow"
    return judgement.action


def _with_source(moment: Moment) -> Policy:
    """The policy, with what this agent's source says about endpoints where it says anything."""
    own = moment.watch.endpoints
    return moment.policy if own in (None, EndpointPolicy()) else moment.policy.model_copy(update={"endpoints": own})
