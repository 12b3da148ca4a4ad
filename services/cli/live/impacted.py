"""Who depends on an agent and what becomes of them without it, or under a card that it does not serve yet."""

import asyncio
import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from cardtrail.events import LockfilePinned
from cardtrail.events.fact import instant
from cardtrail.events.model.policy import Policy
from cardtrail.events.model.profile import Identity, Profile
from cardtrail.projections.projection import Row
from cardtrail.services.bus.kv_read import read_table
from cardtrail.services.card.compile import compile_profile
from cardtrail.services.card.digests import profile_digest, texts_digest
from cardtrail.services.cli.live.directory import Directory, Table, directory
from cardtrail.services.cli.live.standing import lag
from cardtrail.services.cli.live.tracker import Tracker
from cardtrail.services.cli.outputs.impact import Dependant, ImpactOutput, WithCard
from cardtrail.services.cli.shell.cards import OpenedCard
from cardtrail.services.planner.permission import Known, decide
from cardtrail.services.planner.values import Route, RouteCandidate, read
from cardtrail.services.verdict.judge import judge
from cardtrail.services.verdict.view import Baseline, Observed

_CATCHES_UP_S, _AGAIN_S = 5.0, 0.1


async def impact(tracker: Tracker, given: str, card: OpenedCard | None) -> ImpactOutput:
    """Every skill of every workflow that names the agent, whoever sees it; waits a little where the log is ahead of the routes.

    Raises:
        UsageError: `agent-unknown`. InputRefused: the card cannot be used.
    """
    found = await _impact(tracker, given, card)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_CATCHES_UP_S):
            while found.lag.facts:
                await asyncio.sleep(_AGAIN_S)
                found = await _impact(tracker, given, card)
    return found


async def _impact(tracker: Tracker, given: str, card: OpenedCard | None) -> ImpactOutput:
    known = await directory(tracker.bus)
    agent, _ = known.agent(given, _somebody(known, given))
    found: list[Dependant] = []
    positions: list[int] = []
    for principal in known.principals():
        routes, composed = await read_table(tracker.bus, "routes", principal, "routes")
        profiles, compiled = await read_table(tracker.bus, "current_profile", principal, "current_profile")
        positions += [composed, compiled]
        book = _Book(known, agent, profiles, card, tracker.now())
        read_ = [one for row in routes.values() for one in book.dependants(row)]
        found += [*read_, *book.unread(principal, read_)]
    found.sort(key=lambda one: (not _hit(one), not one.used, one.workflow, one.skill, one.principal))
    return ImpactOutput(
        format="cardtrail.impact/1",
        at=instant(tracker.now()),
        agent=agent,
        card=card.given.name if card else None,
        dependants=tuple(found),
        workflows=len({(one.workflow, one.principal) for one in found}),
        stopping=len({(one.workflow, one.principal) for one in found if _hit(one)}),
        lag=await lag(tracker, min(positions)),
    )


def _hit(one: Dependant) -> bool:
    """Whether this skill would be left with nobody; one that awaits its first decision, under a card that stops it."""
    if one.with_card is None:
        return one.stops
    return one.with_card.action == "stop" and (one.stops or (one.verdict == "pending" and one.role == "first"))


def _somebody(known: Directory, given: str) -> str | None:
    """Any principal that has the agent: an impact is asked about for all of them."""
    name = known.called(given, known.principals()[0])
    having = {key[1] for key in known.told.agents if key[0] in {given, name}}
    having |= {who for called, who in known.locked if called in {given, name}}
    return min(having, default=None)


@dataclass(frozen=True)
class _Book:
    """What one principal knows of the agent, the card in question, and the clock."""

    known: Directory
    agent: str
    profiles: Table
    card: OpenedCard | None
    now: datetime

    def dependants(self, row: Row) -> Iterator[Dependant]:
        """The agent's places in one route: none, one, or several names of it."""
        route = read(Route, row)
        for one in route.candidates if route else ():
            if route and self._meant(one, route.principal):
                yield self._dependant(one, route)

    def unread(self, principal: str, found: list[Dependant]) -> Iterator[Dependant]:
        """The places that locks on the log give the agent, and that no route shows yet."""
        firsts = {(one.workflow, one.skill, one.named) for one in found}
        places = {(one.workflow, one.skill) for one in found}
        for (workflow, named, who), pin in self.known.told.locks.items():
            if who != principal or pin.candidate_of:  # a candidate's place is that in its first agent's lock
                continue
            for skill in pin.lockfile.requires.skills or ("",):
                if self._called(named, who) and (workflow, skill, named) not in firsts:
                    yield self._undecided(pin, skill, named)
                    continue
                for each in pin.lockfile.fallback:
                    if self._called(each.agent, who) and (workflow, skill) not in places:
                        yield self._undecided(pin, skill, each.agent)

    def _undecided(self, pin: LockfilePinned, skill: str, named: str) -> Dependant:
        lock = pin.lockfile
        return Dependant(
            workflow=pin.workflow,
            principal=pin.principal,
            skill=skill,
            owner=lock.owner,
            channel=lock.channel,
            named=named,
            role="first" if named == pin.agent else "fallback",
            verdict="pending",
            used=False,
            instead=None,
            person=lock.person,
            stops=False,
            with_card=self._judged((pin.workflow, named, pin.principal)),
        )

    def _called(self, named: str, principal: str) -> bool:
        return self.known.called(named, principal) == self.agent

    def _meant(self, one: RouteCandidate, principal: str) -> bool:
        return one.watched == self.agent if one.watched else self._called(one.agent, principal)

    def _dependant(self, one: RouteCandidate, route: Route) -> Dependant:
        others = tuple(held for held in route.candidates if not self._meant(held, route.principal))
        now = decide(Known(workflow=route.workflow, route=route), route.skill, self.now)
        left = route.model_copy(update={"candidates": others})
        then = decide(Known(workflow=route.workflow, route=left), route.skill, self.now)
        first = route.candidates[0].agent == one.agent
        return Dependant(
            workflow=route.workflow,
            principal=route.principal,
            skill=route.skill,
            owner=route.owner,
            channel=route.channel,
            named=one.agent,
            role="first" if first else "fallback",
            verdict=one.verdict,
            used=now.agent == one.agent,
            instead=then.agent,
            person=route.person,
            stops=now.agent == one.agent and then.agent is None,
            with_card=self._judged((route.workflow, one.agent, route.principal)),
        )

    def _judged(self, key: tuple[str, str, str]) -> WithCard | None:
        pin = self.known.told.locks.get(key)
        if self.card is None or pin is None:
            return None
        policy = self.known.told.policy.policy if self.known.told.policy else Policy()
        said = judge(pin.lockfile, self._baseline(pin), _observed(self.card, policy), policy, self.now)
        return WithCard(verdict=said.verdict, action=said.action, findings=said.findings)

    def _baseline(self, pin: LockfilePinned) -> Baseline:
        """Where the lock started: as its pin says, else what is in force now."""
        if pin.baseline is not None:
            return Baseline(profile=pin.baseline, identity=pin.baseline_identity)
        row: dict[str, Any] | None = self.profiles.get((pin.principal, self.agent))
        if row is None:
            return Baseline()
        profile = Profile.model_validate(row["profile"], extra="ignore")
        identity = Identity.model_validate(row["identity"], extra="ignore")
        return Baseline(profile=profile, identity=identity, texts_digest=row.get("texts_digest", ""))


def _observed(card: OpenedCard, policy: Policy) -> Observed:
    usable = card.usable()
    profile = compile_profile(usable, policy.client)
    return Observed(
        profile=profile,
        identity=card.identity(),
        profile_digest=profile_digest(profile),
        texts_digest=texts_digest(usable),
    )
