"""What one planner knows of its workflow, and what changes in it: rows in, permissions and updates out. Pure."""

from datetime import datetime
from typing import Any

from cardtrail.events.change_decided import ChangeDecided
from cardtrail.events.fact import Fact
from cardtrail.services.planner.ahead import Ahead, brought_forward
from cardtrail.services.planner.permission import Blindness, Known, Permission, Source, decide
from cardtrail.services.planner.saved import Saved
from cardtrail.services.planner.update import Update
from cardtrail.services.planner.values import CurrentProfile, Route, read

Row = dict[str, Any]
_FRESHNESS = {"as_of", "judged_through", "stale_after"}


class View:
    """The routes of one workflow, the profiles of the agents in them.

    `blind` is set from the start: a view that has never caught up has missed everything.
    """

    def __init__(self, workflow: str, principal: str, now: datetime) -> None:
        """Know nothing yet."""
        self.workflow, self.principal = workflow, principal
        self.routes: dict[str, Route] = {}
        self.profiles: dict[str, CurrentProfile] = {}
        self.blind: Blindness | None = Blindness(since=now, why="no-connection")
        self.caught_up = False
        self.source: Source = "live"
        self.through = 0
        self.known_at = now
        self._reached: dict[str, int] = {}
        self._ahead: dict[str, Ahead] = {}
        self._told: dict[str, Permission] = {}

    def take_route(self, key: tuple[str, ...], row: Row | None, through: int) -> bool:
        """A route as it is now (None = gone); False where it is not of this workflow."""
        if key[:2] != (self.principal, self.workflow):
            return False
        route = read(Route, row) if row is not None else None
        if route is None:
            self.routes.pop(key[2], None)
            self._reached.pop(key[2], None)
        else:
            self.routes[route.skill] = route
            self._reached[key[2]] = through
        self._reach(through)
        return True

    def take_profile(self, agent: str, row: Row | None, now: datetime) -> Update | None:
        """An agent's profile as it is now; news where calls to it are made otherwise than before."""
        profile, before = read(CurrentProfile, row) if row is not None else None, self.profiles.pop(agent, None)
        if profile is not None:
            self.profiles[agent] = profile
        if before is None or profile is None or before.profile_digest == profile.profile_digest:
            return None
        return Update(kind="profile", at=now, agent=agent, through=self.through)

    def take_decision(self, decision: Fact, event: ChangeDecided, sequence: int) -> None:
        """A decision as it is told: what it says counts, for each route until that stands for it."""
        if (event.principal, event.workflow) == (self.principal, self.workflow) and sequence > self.through:
            self._ahead[event.agent] = Ahead(sequence, str(decision.id), event)

    def caught_up_with(self, skills: set[str]) -> None:
        """Everything there is has arrived; what was known before and did not arrive is no more."""
        self.routes = {skill: route for skill, route in self.routes.items() if skill in skills}
        self.caught_up, self.source = True, "live"

    @property
    def knows(self) -> bool:
        """Whether there is anything to tell: all routes have arrived, or a snapshot stands in."""
        return self.caught_up or self.source == "snapshot"

    def agents(self) -> set[str]:
        """Every agent of every route, by the name of its profile."""
        return {one.profile_of for route in self.routes.values() for one in route.candidates}

    def degraded(self, agent: str) -> set[str]:
        """The operations of an agent that its judgements want avoided; `agent` by the name of its profile."""
        return {
            name
            for route in map(self._forward, self.routes.values())
            for one in route.candidates
            if one.profile_of == agent
            for name in one.degraded
        }

    def permission(self, skill: str, now: datetime) -> Permission:
        """The answer for one skill."""
        route = self.routes.get(skill)
        known = Known(
            workflow=self.workflow,
            route=self._forward(route) if route is not None else None,
            skills=tuple(sorted(self.routes)),
            caught_up=self.caught_up,
            blind=self.blind,
            source=self.source,
        )
        return decide(known, skill, now)

    def changes(self, now: datetime) -> list[Update]:
        """What is different from what was told before, and remember it as told."""
        found: list[Update] = []
        for skill in sorted(self.routes.keys() | self._told.keys()):
            before = self._told.get(skill)
            if skill not in self.routes:
                del self._told[skill]
                found.append(Update(kind="withdrawn", at=now, skill=skill, through=self.through))
                continue
            after = self._told[skill] = self.permission(skill, now)
            if before is None or _essence(before) != _essence(after):
                found.append(self._update("route", after, now))
            elif (before.judged_through, before.stale_after) != (after.judged_through, after.stale_after):
                found.append(self._update("freshness", after, now))
        return found

    def snapshot(self, now: datetime) -> list[Update]:
        """Every route as it is now, then whether that is all."""
        if not self.knows:
            return []
        return [
            *(self._update("route", self.permission(skill, now), now) for skill in sorted(self.routes)),
            self.mark(now),
        ]

    def mark(self, now: datetime) -> Update:
        """Whether everything there is has been told."""
        kind = "blind" if self.blind is not None else "caught-up"
        return Update.model_validate({"kind": kind, "at": now, "blind": self.blind, "through": self.through})

    def saved(self, now: datetime) -> Saved:
        """All of it, to start from when there is no broker."""
        return Saved(
            workflow=self.workflow,
            principal=self.principal,
            known_at=self.known_at,
            saved_at=now,
            through=self.through,
            routes=tuple(self.routes[skill] for skill in sorted(self.routes)),
            profiles=tuple(self.profiles[agent] for agent in sorted(self.profiles)),
        )

    def restore(self, saved: Saved) -> None:
        """Start from what was known once; nothing in it is news."""
        self.routes = {route.skill: route for route in saved.routes}
        self.profiles = {profile.agent: profile for profile in saved.profiles}
        self.through, self.known_at, self.source = saved.through, saved.known_at, "snapshot"
        self.blind = Blindness(since=saved.known_at, why="snapshot")

    def _reach(self, through: int) -> None:
        """A row of a later commit says that all of the one before it are here: what was decided up to then is in them."""
        if through > self.through:
            self._ahead = {agent: ahead for agent, ahead in self._ahead.items() if ahead.sequence > self.through}
            self.through = through

    def _forward(self, route: Route) -> Route:
        """The route with what was decided since; the routes of one commit arrive one by one."""
        through = self._reached.get(route.skill, 0)
        return brought_forward(
            route, {agent: ahead for agent, ahead in self._ahead.items() if ahead.sequence > through}
        )

    def _update(self, kind: str, permission: Permission, now: datetime) -> Update:
        told = {"kind": kind, "at": now, "skill": permission.skill, "permission": permission}
        return Update.model_validate(told | {"through": self.through})


def _essence(permission: Permission) -> dict[str, Any]:
    return permission.model_dump(exclude=_FRESHNESS)
