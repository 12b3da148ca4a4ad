"""Which locks are in force: pinned, released, and the candidates a lock names as its fallback.

Each candidate becomes a judged pair of its own under the same lock. What the lock says of the first agent's endpoint, version
and keys does not hold for it: those are taken from the candidate itself when it is first judged.
"""

from cardtrail.events.fact import Stored
from cardtrail.events.lockfile_pinned import LockfilePinned, LockfileReleased
from cardtrail.events.model.lockfile import Candidate, LockedInterface, Lockfile, Signer
from cardtrail.projections.projection import Key, Rows
from cardtrail.services.decider import deadlines
from cardtrail.services.decider.dependants import depend, pairs_of, undepend
from cardtrail.services.decider.memory import Acknowledged, Pin, Standing, State, Tallies, Watch
from cardtrail.services.kept import drop, load, save
from cardtrail.services.places import resolve
from cardtrail.services.verdict.view import Baseline

_AT_PIN = {"pinned_at", "card_digest", "profile_digest", "integrity", "agent_version", "allowed_hosts", "verified"}


def pin(stored: Stored, event: LockfilePinned, rows: Rows) -> None:
    """A lock is in force and waits for an observation; its candidates take the place of those it named before."""
    pair = (event.workflow, event.agent, event.principal)
    made = Pin(
        lock=event.lockfile,
        lock_digest=event.lock_digest,
        baseline=_baseline(event, rows),
        fact=stored.fact.id,
        sequence=stored.sequence,
    )
    before, wanted = (
        _candidates(rows, pair),
        {one.agent: one for one in event.lockfile.fallback if one.agent != event.agent},
    )
    for stand_in in before:
        if stand_in[1] not in wanted:
            _close(rows, stand_in)
    _put(rows, pair, made)
    for agent, candidate in wanted.items():
        stand_in = (event.workflow, agent, event.principal)
        if stand_in in before or load(rows, Pin, stand_in) is None:
            lock = _stand_in(event.lockfile, candidate)
            given = {"lock": lock, "baseline": Baseline(), "adopts": True}
            _put(rows, stand_in, made.model_copy(update=given))


def release(event: LockfileReleased, rows: Rows) -> None:
    """The workflow no longer depends on this agent, nor on its candidates."""
    agent = resolve(rows, event.agent, event.principal)
    for pair in {(event.workflow, event.agent, event.principal), *pairs_of(rows, agent, event.principal)}:
        if pair[0] == event.workflow:
            for stand_in in _candidates(rows, pair):
                _close(rows, stand_in)
            _close(rows, pair)


def completed(pinned: Pin, state: State | None) -> Pin:
    """A candidate's lock with the candidate's own endpoint and version, where it waits for them."""
    if not pinned.adopts or state is None or state.profile.interface is None:
        return pinned
    chosen = state.profile.interface
    interface = LockedInterface(binding=chosen.binding, version=chosen.version, url=chosen.url, tenant=chosen.tenant)
    lock = pinned.lock.model_copy(update={"interface": interface, "agent_version": state.identity.version or None})
    baseline = Baseline(profile=state.profile, identity=state.identity, texts_digest=state.texts_digest)
    return pinned.model_copy(update={"lock": lock, "baseline": baseline, "adopts": False})


def _put(rows: Rows, pair: Key, pinned: Pin) -> None:
    save(rows, pair, pinned)
    drop(rows, Tallies, pair)
    depend(rows, pair)


def _close(rows: Rows, pair: Key) -> None:
    deadlines.cancel(rows, pair, load(rows, Acknowledged, pair) or Acknowledged())
    for kind in (Pin, Standing, Acknowledged, Tallies):
        drop(rows, kind, pair)
    undepend(rows, pair)


def _candidates(rows: Rows, pair: Key) -> tuple[Key, ...]:
    """The pairs that the lock in force made of its fallback; a candidate pinned by itself is none of them."""
    held = load(rows, Pin, pair)
    if held is None:
        return ()
    named = ((pair[0], candidate.agent, pair[2]) for candidate in held.lock.fallback)
    own = ((stand_in, load(rows, Pin, stand_in)) for stand_in in named)
    return tuple(stand_in for stand_in, other in own if stand_in != pair and other and other.fact == held.fact)


def _stand_in(lock: Lockfile, candidate: Candidate) -> Lockfile:
    skills = {candidate.skills.get(skill, skill): need for skill, need in lock.requires.skills.items()}
    plain = {name: Lockfile.model_fields[name].get_default(call_default_factory=True) for name in _AT_PIN}
    return lock.model_copy(
        update={
            **plain,
            "agent": candidate.agent,
            "requires": lock.requires.model_copy(update={"skills": skills}),
            "interface": LockedInterface(binding=lock.interface.binding, version=lock.interface.version),
            "signer": Signer(required=lock.signer.required),
            "fallback": (),
            "baseline": None,
        }
    )


def _baseline(event: LockfilePinned, rows: Rows) -> Baseline:
    """What the fact carries, else what was in force at that place of the log; the judge puts the lock's own first."""
    agent = resolve(rows, event.agent, event.principal)
    watch = load(rows, Watch, (agent, event.principal))
    state = load(rows, State, (agent, event.principal, watch.recent[-1])) if watch and watch.recent else None
    given = Baseline(profile=event.baseline, identity=event.baseline_identity)
    if state is None or (event.baseline, event.baseline_identity) not in (
        (None, None),
        (state.profile, state.identity),
    ):
        return given
    return Baseline(profile=state.profile, identity=state.identity, texts_digest=state.texts_digest)
