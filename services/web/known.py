"""What is known as one principal sees it: the rows of the projections, now or at an instant, with the names locks use. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any

from cardtrail.events.model.policy import Policy
from cardtrail.projections.projection import Key, Row
from cardtrail.services.cli.live.heard import heard
from cardtrail.services.cli.live.stand_ins import own, stand_ins
from cardtrail.services.cli.outputs.stand_in import StandIn
from cardtrail.services.cli.outputs.status import Heard
from cardtrail.services.places import place

BUDGET, BUDGET_KEY = "staleness_budget", ("policy",)
Tables = dict[str, dict[Key, Row]]


@dataclass(frozen=True)
class Known:
    """Rows of one principal and no other; `through` is the sequence of the last fact in them."""

    principal: str
    tables: Tables = field(default_factory=dict)
    through: int = 0

    def row(self, table: str, *key: str) -> Row | None:
        """One row of this principal."""
        return self.tables.get(table, {}).get((self.principal, *key))

    @cached_property
    def agents(self) -> Mapping[str, Row]:
        """Every agent that is watched, or was heard of, with its row of `freshness`."""
        return {key[1]: row for key, row in self.tables.get("freshness", {}).items() if key[0] == self.principal}

    @cached_property
    def locks(self) -> tuple[Row, ...]:
        """The rows of `lockfile_status`."""
        return tuple(row for key, row in self.tables.get("lockfile_status", {}).items() if key[0] == self.principal)

    @cached_property
    def routes(self) -> tuple[Row, ...]:
        """The rows of `routes`."""
        return tuple(row for key, row in self.tables.get("routes", {}).items() if key[0] == self.principal)

    @cached_property
    def stand_ins(self) -> tuple[StandIn, ...]:
        """All that stand in for a lock's own agent without a lock of their own."""
        return stand_ins(self.routes, own(self.locks))

    def called(self, name: str) -> str:
        """The watched agent behind the name in a lock, which may be where it was found; the name itself where none is."""
        return name if name in self.agents else self._places.get(place(name), name)

    def names(self, agent: str) -> tuple[str, ...]:
        """The agent's name, and what locks call it."""
        others = {lock["agent"] for lock in self.locks if self.called(lock["agent"]) == agent}
        return (agent, *sorted(others - {agent}))

    def everybody(self) -> set[str]:
        """Names of all agents that are watched or that a lock names."""
        candidates = (one for row in self.routes for one in row["candidates"])
        standing_in = {one["watched"] or one["agent"] for one in candidates}
        return set(self.agents) | {
            self.called(name) for name in standing_in.union(lock["agent"] for lock in self.locks)
        }

    def locks_on(self, agent: str) -> tuple[Row, ...]:
        """The locks that depend on an agent, under whatever name."""
        names = self.names(agent)
        return tuple(lock for lock in self.locks if lock["agent"] in names)

    def heard(self, agent: str, now: datetime) -> Heard:
        """How the agent stands, by the patience of the policy in force."""
        budget = self.tables.get(BUDGET, {}).get(BUDGET_KEY)
        return heard(self.agents.get(agent), int(budget["staleness_s"]) if budget else Policy().staleness_s, now)

    def profile(self, agent: str) -> dict[str, Any]:
        """The row of `current_profile`, {} where none was compiled."""
        return self.row("current_profile", agent) or {}

    @cached_property
    def _places(self) -> Mapping[str, str]:
        return {place(row["location"]): agent for agent, row in self.agents.items() if row["location"]}
