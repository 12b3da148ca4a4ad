"""What one fact changes in memory, and which pairs must be judged again because of it.

Most facts about a card change nothing that a lock could notice: an equal observation ends here.
"""

from collections.abc import Callable
from typing import Any

from cardtrail.events.agent_tracked import AgentTracked, AgentUntracked
from cardtrail.events.card_fetched import CardFetched
from cardtrail.events.card_refused import CardRefused
from cardtrail.events.change_acknowledged import ChangeAcknowledged
from cardtrail.events.deadline_passed import DeadlinePassed
from cardtrail.events.fact import Event, instant
from cardtrail.events.lockfile_pinned import LockfilePinned, LockfileReleased
from cardtrail.events.model.finding import Acknowledgement
from cardtrail.events.probe_recorded import ProbeRecorded
from cardtrail.events.profile_compiled import ProfileCompiled
from cardtrail.events.runtime_error_observed import CallsCounted, RuntimeErrorObserved
from cardtrail.projections.instants import end_of
from cardtrail.services import places
from cardtrail.services.decider import deadlines, evidence, flapping, pins, trouble
from cardtrail.services.decider.memory import Acknowledged, Cause, Proof, Standing, State, Tallies, Watch
from cardtrail.services.decider.moment import Moment, Touched
from cardtrail.services.kept import drop, load, save

_COMPILED_BY: dict[str, Cause] = {"card": "agent", "pin": "agent", "compiler": "tool", "client": "policy"}


def tracked(moment: Moment, event: AgentTracked) -> Touched | None:
    """The operator watches an agent, and says where its endpoints may be."""
    places.learn(moment.rows, event)
    moment.keep(moment.watch.model_copy(update={"endpoints": event.endpoints}))
    return Touched("policy") if moment.watch.endpoints not in (None, event.endpoints) else None


def untracked(moment: Moment, event: AgentUntracked) -> None:
    """Nothing is known of the agent any more; its locks wait for an observation again."""
    rows, key = moment.rows, (moment.agent, moment.principal)
    for pair in moment.pairs():
        deadlines.cancel(rows, pair, load(rows, Acknowledged, pair) or Acknowledged())
        for kind in (Standing, Acknowledged, Tallies):
            drop(rows, kind, pair)
    for state in moment.watch.recent:
        drop(rows, State, (*key, state))
    deadlines.patience(rows, *key, moment.watch.model_copy(update=trouble.OVER), moment.policy)
    places.forget(rows, event)
    drop(rows, Proof, key)
    drop(rows, Watch, key)


def fetched(moment: Moment, event: CardFetched) -> Touched | None:
    """The agent answered. An equal card ends trouble at once, another one when its profile is known."""
    equal = event.same_as is not None
    places.learn(moment.rows, event)
    watch = flapping.seen_again(moment.watch, event.checks, moment.policy, certain=equal)
    watch = watch.model_copy(update={"answered": watch.now, **(trouble.OVER if equal else {})})
    moment.keep(watch)
    settled = watch.flapping != moment.watch.flapping
    return Touched("agent") if settled or watch.trouble != moment.watch.trouble else None


def refused(moment: Moment, event: CardRefused) -> Touched | None:
    """An attempt gave no usable card: the last good profile stays, and trouble begins."""
    if moment.overtaken("card-fetched"):
        return None
    watch = trouble.refused(moment.watch, moment.stored, event)
    moment.keep(watch)
    if watch.trouble == moment.watch.trouble:
        return None
    return Touched("tool" if event.fault == "ours" else "agent")


def compiled(moment: Moment, event: ProfileCompiled) -> Touched:
    """The profile in force."""
    rows, key, watch = moment.rows, (moment.agent, moment.principal), moment.watch
    state = flapping.state_of(event)
    current = moment.state()
    if not watch.recent or watch.recent[-1] != state:
        watch = flapping.changed(watch, state, moment.policy)
        for gone in set(moment.watch.recent) - set(watch.recent):
            drop(rows, State, (*key, gone))
        if current is not None:
            evidence.outlived(rows, key, current.profile, event.profile)
    made = State(
        profile=event.profile,
        identity=event.identity,
        profile_digest=event.profile_digest,
        texts_digest=event.texts_digest,
    )
    save(rows, (*key, state), made)
    rests: dict[str, object] = {
        "compiled": moment.stored.fact.id,
        "card": event.card,
        "card_sequence": event.card_sequence,
    }
    if event.card_sequence > watch.refused:
        rests |= trouble.OVER
    moment.keep(watch.model_copy(update=rests))
    return Touched(_COMPILED_BY[event.cause])


def probed(moment: Moment, event: ProbeRecorded) -> Touched | None:
    """A probe came to an end."""
    states = moment.states()
    told = bool(states) and evidence.probed(moment.stored, event, moment.rows, moment.agent, states)
    return Touched("agent", rests_on=(moment.stored.fact.id,)) if told else None


def failed(moment: Moment, event: RuntimeErrorObserved) -> Touched | None:
    """A real call that the profile allowed failed."""
    pairs = moment.pairs(event.workflow)
    told = [evidence.failed(event, moment.rows, pair, moment.policy) for pair in pairs]
    return Touched("agent", event.workflow) if any(told) else None


def counted(moment: Moment, event: CallsCounted) -> Touched | None:
    """How the calls of a minute went."""
    pairs = moment.pairs(event.workflow)
    told = [evidence.counted(event, moment.rows, pair, moment.policy) for pair in pairs]
    return Touched("agent", event.workflow) if any(told) else None


def pinned(moment: Moment, event: LockfilePinned) -> None:
    """A workflow states what it needs."""
    pins.pin(moment.stored, event, moment.rows)


def released(moment: Moment, event: LockfileReleased) -> None:
    """A workflow no longer depends on the agent."""
    pins.release(event, moment.rows)


def acknowledged(moment: Moment, event: ChangeAcknowledged) -> Touched | None:
    """A person accepted a finding; one that does not stand is not accepted in advance."""
    until = end_of(event.until)
    if until is not None and until <= moment.watch.now:
        return None
    end = None if until is None else instant(until)
    given = Acknowledgement(fingerprint=event.fingerprint, actor=event.by, reason=event.reason, until=end)
    for pair in moment.pairs(event.workflow):
        standing = load(moment.rows, Standing, pair)
        if standing is not None and event.fingerprint in standing.open:
            held = load(moment.rows, Acknowledged, pair) or Acknowledged()
            others = tuple(one for one in held.entries if one.fingerprint != event.fingerprint)
            save(moment.rows, pair, Acknowledged(entries=(*others, given)))
    return Touched("acknowledgement", event.workflow)


def passed(moment: Moment, event: DeadlinePassed) -> Touched | None:
    """An instant has come."""
    if event.what in {"refresh", "probe"}:
        return None
    if moment.watch.trouble is not None:
        moment.keep(moment.watch)
    return Touched("time", event.workflow)


ABSORB: dict[type[Event], Callable[[Moment, Any], Touched | None]] = {
    AgentTracked: tracked,
    AgentUntracked: untracked,
    CardFetched: fetched,
    CardRefused: refused,
    ProfileCompiled: compiled,
    ProbeRecorded: probed,
    RuntimeErrorObserved: failed,
    CallsCounted: counted,
    LockfilePinned: pinned,
    LockfileReleased: released,
    ChangeAcknowledged: acknowledged,
    DeadlinePassed: passed,
}
"""What each kind of fact does; all other kinds mean nothing to a lock."""
