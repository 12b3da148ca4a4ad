"""What stands for a pair, and whether somebody must be told: a decision is told when it says something new, and only then."""

from cardtrail.events.fact import Fact
from cardtrail.projections.projection import Key
from cardtrail.services.decider import pins
from cardtrail.services.decider.decision import Change, decision
from cardtrail.services.decider.judged import Judge, Judged, is_due, judged
from cardtrail.services.decider.memory import Blame, Cause, Pin, Standing, policy_in_force
from cardtrail.services.decider.moment import Moment, Touched
from cardtrail.services.kept import load, save

_BLAME: dict[Cause, Blame] = {"tool": "tool", "policy": "policy", "time": "time"}


def settle(judge: Judge, rules_version: str, moment: Moment, touched: Touched, pair: Key) -> Fact | None:
    """Judge a pair; the decision where verdict, action, findings or acceptance differ from what was last told."""
    pinned, before = load(moment.rows, Pin, pair), load(moment.rows, Standing, pair)
    if pinned is None:
        return None
    first = before is None or before.pinned != pinned.fact
    if first and not is_due(moment, pinned):
        return None
    if pinned.adopts:
        pinned = pins.completed(pinned, moment.state())
        save(moment.rows, pair, pinned)
    found = judged(judge, moment, pair, pinned)
    after = _standing(moment, pinned, before, found, touched).model_copy(update={"rules_version": rules_version})
    save(moment.rows, pair, after)
    if not first and before is not None and _said(before) == _said(after):
        return None
    cause: Cause = "pin" if first else touched.cause
    return decision(moment, Change(pair, pinned, before, after, found.judgement.findings, cause))


def outdated(standing: Standing, policy_digest: str, rules_version: str) -> Cause | None:
    """Why a pair must be judged again although its agent did nothing: other rules (`tool`) or another policy."""
    if standing.rules_version != rules_version:
        return "tool"
    return "policy" if standing.policy_digest != policy_digest else None


def _standing(moment: Moment, pinned: Pin, before: Standing | None, found: Judged, touched: Touched) -> Standing:
    blame, known = _BLAME.get(touched.cause, "agent"), before.blame if before else {}
    return Standing(
        verdict=found.judgement.verdict,
        action=found.action,
        degraded=found.judgement.degraded,
        open=found.open,
        acknowledged=found.acknowledged,
        blame={fingerprint: known.get(fingerprint, blame) for fingerprint in found.open},
        policy_digest=policy_in_force(moment.rows).digest,
        pinned=pinned.fact,
    )


def _said(standing: Standing) -> Standing:
    """The part of a standing that a person or a planner acts on."""
    return standing.model_copy(update={"blame": {}, "policy_digest": "", "rules_version": ""})
