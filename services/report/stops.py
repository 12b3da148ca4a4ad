"""What it costs when a lock stops new delegations: how often, how long, whether another agent stood ready meanwhile. Pure.

Another agent stands ready while it is of the same lock (its first agent or a fallback), judged, and not stopped. How many
delegations did not go to the agent is not known, for nobody makes them: it is told by the rate of calls in the 30 days before.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import NamedTuple

from cardtrail.events.model.lockfile import Lockfile
from cardtrail.projections.intervals import poisson
from cardtrail.services.report.fleet import Fleet, grouped
from cardtrail.services.report.material import Material
from cardtrail.services.report.model import CostLine
from cardtrail.services.report.rows import LockEvent
from cardtrail.services.report.shares import rounded

_BEFORE = timedelta(days=30)


class Stop(NamedTuple):
    """A lock that stopped delegations: which, from when to when, and for how long of that another agent stood ready."""

    agent: str
    workflow: str
    begun: datetime
    ended: datetime
    at_hand: timedelta


class _Missed(NamedTuple):
    counted: float
    low: float
    high: float


@dataclass(slots=True)
class _Open:
    agent: str
    begun: datetime
    told: datetime
    at_hand: timedelta = timedelta()


@dataclass(slots=True)
class _Workflow:
    """Its locks' agents by their first one, who of them is ready, and what is stopped, by the names in the lock."""

    groups: dict[str, tuple[str, ...]] = field(default_factory=dict)
    ready: set[str] = field(default_factory=set)
    open: dict[str, _Open] = field(default_factory=dict)

    def pass_time(self, until: datetime, since: datetime) -> None:
        for named, stop in self.open.items():
            if self._at_hand(named):
                stop.at_hand += max(until - max(stop.told, since), timedelta())
            stop.told = max(until, stop.told)

    def _at_hand(self, named: str) -> bool:
        return any(
            name in self.ready for group in self.groups.values() if named in group for name in group if name != named
        )


def cost(held: Material, fleet: Fleet) -> tuple[CostLine, ...]:
    """A line for each agent that any lock stopped, longest first."""
    by_agent: dict[str, list[Stop]] = defaultdict(list)
    for stop in stops(held):
        by_agent[stop.agent].append(stop)
    missed = _Missing(held)

    def line(provider: str, agent: str, about: list[str]) -> CostLine | None:
        mine = [stop for name in about for stop in by_agent[name]]
        if not mine:
            return None
        not_made = missed.over(mine)
        return CostLine(
            provider=provider,
            agent=agent,
            workflows=len({stop.workflow for stop in mine}),
            stops=len(mine),
            stopped_s=round(sum((stop.ended - stop.begun).total_seconds() for stop in mine)),
            at_hand_s=round(sum(stop.at_hand.total_seconds() for stop in mine)),
            delegations=rounded(not_made.counted) if not_made else None,
            low=rounded(not_made.low) if not_made else None,
            high=rounded(not_made.high) if not_made else None,
        )

    return grouped(fleet.lines(line), lambda one: (-one.stopped_s,))


def stops(held: Material) -> Iterator[Stop]:
    """Every stop that reaches into the period, cut to it."""
    workflows: dict[str, _Workflow] = defaultdict(_Workflow)
    for event in held.locks:
        workflow = workflows[event.workflow]
        workflow.pass_time(event.at, held.since)
        _apply(workflow, event)
        if event.action == "stop":
            workflow.open.setdefault(event.named, _Open(event.agent, event.at, event.at))
        elif event.named in workflow.open:
            yield from _ended(held, event.workflow, workflow.open.pop(event.named), event.at)
    for name, workflow in workflows.items():
        workflow.pass_time(held.ended, held.since)
        for stop in workflow.open.values():
            yield from _ended(held, name, stop, held.ended)


def _ended(held: Material, workflow: str, stop: _Open, at: datetime) -> Iterator[Stop]:
    if at > held.since:
        yield Stop(stop.agent, workflow, max(stop.begun, held.since), at, stop.at_hand)


def _apply(workflow: _Workflow, event: LockEvent) -> None:
    workflow.ready.discard(event.named)
    if event.lock is not None and not event.candidate_of:
        lock = Lockfile.model_validate_json(event.lock)
        workflow.groups[event.named] = (event.named, *(each.agent for each in lock.fallback))
    elif event.verdict == "lockfile-released":
        workflow.groups.pop(event.named, None)
    elif event.action not in {None, "stop"}:
        workflow.ready.add(event.named)


class _Missing:
    """Calls by which workflows delegated, before each stop."""

    def __init__(self, held: Material) -> None:
        self._began = held.began
        self._calls: dict[tuple[str, str], list[tuple[datetime, int]]] = defaultdict(list)
        for row in held.delegations:
            self._calls[row.agent, row.workflow].append((row.minute, row.calls))

    def over(self, stops: Iterable[Stop]) -> _Missed | None:
        """Of several stops together; None where no calls of their workflows to their agents are known."""
        found = [one for stop in stops if (one := self._of(stop)) is not None]
        if not found:
            return None
        return _Missed(*(sum(part) for part in zip(*found, strict=True)))

    def _of(self, stop: Stop) -> _Missed | None:
        calls = self._calls.get((stop.agent, stop.workflow))
        since = max(stop.begun - _BEFORE, self._began)
        if not calls or since >= stop.begun:
            return None
        counted = sum(each for minute, each in calls if since <= minute < stop.begun)
        share = (stop.ended - stop.begun) / (stop.begun - since)
        low, high = poisson(counted)
        return _Missed(counted * share, low * share, high * share)
