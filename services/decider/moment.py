"""One fact in the fold: which watched agent it speaks of, what is remembered of it, and the broker's time."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from cardtrail.events.deadline_passed import DeadlinePassed
from cardtrail.events.fact import AgentEvent, Stored, told_ms
from cardtrail.events.model.policy import Policy
from cardtrail.projections.lateness import NEWEST
from cardtrail.projections.projection import Key, Rows
from cardtrail.services.decider import deadlines
from cardtrail.services.decider.dependants import pairs_of
from cardtrail.services.decider.memory import Cause, State, Watch, policy_in_force
from cardtrail.services.kept import load, save
from cardtrail.services.places import resolve


@dataclass(frozen=True)
class Touched:
    """Pairs to judge again, and why: all of the agent, or those of one workflow."""

    cause: Cause
    workflow: str = ""
    rests_on: tuple[UUID, ...] = ()


@dataclass(frozen=True)
class Moment:
    """A fact with what is remembered around it; `watch.now` is this fact's time, which never goes back."""

    stored: Stored
    rows: Rows
    agent: str
    principal: str
    watch: Watch
    policy: Policy

    def keep(self, watch: Watch) -> None:
        """Remember the agent so, and wait for the end of patience where there is trouble."""
        save(self.rows, (self.agent, self.principal), watch)
        if watch.trouble is not None or self.watch.trouble is not None:
            deadlines.patience(self.rows, self.agent, self.principal, watch, self.policy)

    def pairs(self, workflow: str = "") -> tuple[Key, ...]:
        """The pairs that depend on the agent; of one workflow where it is named."""
        found = pairs_of(self.rows, self.agent, self.principal)
        return tuple(pair for pair in found if workflow in ("", pair[0]))

    def states(self) -> tuple[State, ...]:
        """The agent's recent states, the one in force last."""
        found = (load(self.rows, State, (self.agent, self.principal, state)) for state in self.watch.recent)
        return tuple(state for state in found if state is not None)

    def state(self) -> State | None:
        """The state in force."""
        states = self.states()
        return states[-1] if states else None

    def overtaken(self, kind: str) -> bool:
        """Whether a newer observation of another kind was applied before this one."""
        held = self.rows.get(NEWEST.name, (self.agent, self.principal, kind, ""))
        return held is not None and 0 < told_ms(self.stored.fact.id) < held["order"]


def moment(stored: Stored, event: AgentEvent, rows: Rows) -> Moment:
    """The fact in its place."""
    agent = resolve(rows, event.agent, event.principal)
    held = load(rows, Watch, (agent, event.principal))
    times = [stored.stored_at]
    if held is not None:
        times.append(held.now)
    if isinstance(event, DeadlinePassed):
        times.append(datetime.fromisoformat(event.due))
    watch = held.model_copy(update={"now": max(times)}) if held else Watch(now=max(times))
    if held is not None:
        save(rows, (agent, event.principal), watch)
    return Moment(stored, rows, agent, event.principal, watch, policy_in_force(rows).policy)
