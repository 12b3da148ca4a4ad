"""Whether the claims that workflows need were verified in time: not longer ago than the lock, else policy, demands. Pure.

A claim is verified from the probe that showed it until it is contradicted, until a card claims otherwise, or until that evidence
is too old. Counted is the time in which a lock needed it and evidence was demanded, claim by claim; nothing here is a sample.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import lru_cache

from cardtrail.events.model.evidence import Claim
from cardtrail.events.model.lockfile import Lockfile
from cardtrail.events.model.profile import Profile
from cardtrail.projections.claims import claimed
from cardtrail.services.report.fleet import Fleet, grouped
from cardtrail.services.report.material import Material
from cardtrail.services.report.model import EvidenceLine
from cardtrail.services.report.rows import Demand, LockEvent, Proof
from cardtrail.services.report.shares import rounded
from cardtrail.services.verdict.claims import needed_claims, same_claim

_NO_DECISION = {"lockfile-pinned", "lockfile-released"}
_Event = LockEvent | Proof | Demand


@dataclass(slots=True)
class _Shown:
    """What is shown of an agent: its claims with the newest outcome and when, and what its card claims."""

    outcomes: dict[Claim, tuple[str, datetime]] = field(default_factory=dict)
    profile: Profile | None = None

    def take(self, proof: Proof) -> None:
        if proof.profile is not None:
            old, self.profile = self.profile, Profile.model_validate_json(proof.profile)
            if old is not None:
                self._forget(old, self.profile)
        elif proof.claim is not None:
            self.outcomes[_claim(proof.claim)] = (proof.outcome, proof.shown_at)

    def held_at(self, claim: Claim) -> datetime | None:
        found = [at for one, (outcome, at) in self.outcomes.items() if outcome == "held" and same_claim(one, claim)]
        return max(found, default=None)

    def _forget(self, old: Profile, new: Profile) -> None:
        self.outcomes = {one: shown for one, shown in self.outcomes.items() if claimed(old, one) == claimed(new, one)}


@dataclass(slots=True)
class _Lock:
    """A lock in force: what it needs, its own demand (None: that of policy), and up to when time is counted."""

    claims: tuple[Claim, ...]
    own_s: int | None
    told: datetime
    demanded: timedelta = timedelta()
    verified: timedelta = timedelta()


def evidence(held: Material, fleet: Fleet) -> tuple[EvidenceLine, ...]:
    """A line for each agent of which a lock needs claims, least verified first."""
    walk = _Walk(held)
    walk.all()

    def line(provider: str, agent: str, about: list[str]) -> EvidenceLine | None:
        locks = [lock for name in about for lock in walk.past[name]]
        standing = [one for name in about for one in walk.standing(name)]
        if not standing and not any(lock.demanded for lock in locks):
            return None
        demanded = sum(lock.demanded.total_seconds() for lock in locks)
        shown = sum(lock.verified.total_seconds() for lock in locks)
        return EvidenceLine(
            provider=provider,
            agent=agent,
            demanded_s=round(demanded),
            verified_s=round(shown),
            share=rounded(shown / demanded) if demanded else None,
            claims=sum(one is not None for one in standing),
            verified=sum(one is True for one in standing),
            undemanded=sum(one is None for one in standing),
        )

    return grouped(fleet.lines(line), lambda one: (1.0 if one.share is None else one.share, -one.demanded_s))


class _Walk:
    """All events in stream order; `past` has every lock there was, by the agent as it is watched."""

    def __init__(self, held: Material) -> None:
        self._held = held
        self._watched = {event.named: event.agent for event in held.locks if event.verdict not in _NO_DECISION}
        self._shown: dict[str, _Shown] = defaultdict(_Shown)
        self._locks: dict[str, dict[str, _Lock]] = defaultdict(dict)
        self._policy_s = 0
        self.past: dict[str, list[_Lock]] = defaultdict(list)

    def all(self) -> None:
        """Walk them."""
        events: list[_Event] = [*self._held.locks, *self._held.proofs, *self._held.demands]
        for event in sorted(events, key=lambda one: one.sequence):
            for agent in self._touched(event):
                self._pass_time(agent, event.at)
            self._take(event)
        for agent in list(self._locks):
            self._pass_time(agent, self._held.ended)

    def standing(self, agent: str) -> Iterator[bool | None]:
        """Whether each claim that a lock in force needs is verified in time at the end; None: nobody demands it."""
        for lock in self._locks[agent].values():
            limit = self._limit(lock)
            for claim in lock.claims:
                at = self._shown[agent].held_at(claim)
                yield None if not limit else at is not None and self._held.ended - at <= limit

    def _touched(self, event: _Event) -> list[str]:
        if isinstance(event, Demand):
            return list(self._locks)
        return [event.agent if isinstance(event, Proof) else self._watched.get(event.named, event.named)]

    def _take(self, event: _Event) -> None:
        if isinstance(event, Demand):
            self._policy_s = event.age_s
        elif isinstance(event, Proof):
            self._shown[event.agent].take(event)
        else:
            self._pinned(event, self._watched.get(event.named, event.named))

    def _pinned(self, event: LockEvent, agent: str) -> None:
        if event.lock is not None:
            lock = Lockfile.model_validate_json(event.lock)
            made = _Lock(needed_claims(lock), lock.evidence_max_age_s, event.at)
            self._locks[agent][event.workflow] = made
            self.past[agent].append(made)
        elif event.verdict == "lockfile-released":
            self._locks[agent].pop(event.workflow, None)

    def _pass_time(self, agent: str, until: datetime) -> None:
        for lock in self._locks[agent].values():
            begun, limit = max(lock.told, self._held.since), self._limit(lock)
            lock.told = max(lock.told, until)
            if until <= begun or not limit:
                continue
            for claim in lock.claims:
                lock.demanded += until - begun
                at = self._shown[agent].held_at(claim)
                if at is not None:
                    lock.verified += max(min(until, at + limit) - begun, timedelta())

    def _limit(self, lock: _Lock) -> timedelta:
        return timedelta(seconds=self._policy_s if lock.own_s is None else lock.own_s)


@lru_cache(maxsize=4096)
def _claim(text: str) -> Claim:
    return Claim.model_validate_json(text)
