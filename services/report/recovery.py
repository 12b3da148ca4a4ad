"""How long breaks stand: from breaking to satisfied again. Pure.

An agent is broken while any lock on it is, by the agent's doing. A break ends when the agent offers again what is needed; one
that a new pin, a release or our own side ended, or that still stands, is only known to have lasted so long (censored).
"""

from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from cardtrail.services.report.fleet import Fleet
from cardtrail.services.report.material import Material
from cardtrail.services.report.model import CurvePoint, RecoveryLine
from cardtrail.services.report.rows import LockEvent
from cardtrail.services.report.shares import rounded
from cardtrail.services.report.statistics import FEW, Step, median_of, survival


class Episode(NamedTuple):
    """A break of an agent: when it began, how long it stood (seconds), whether the agent itself ended it."""

    agent: str
    begun: datetime
    lasted_s: float
    recovered: bool


def recovery(held: Material, fleet: Fleet) -> tuple[tuple[RecoveryLine, ...], tuple[CurvePoint, ...]]:
    """A line for each agent and provider that broke, and the curve over all of them."""
    found: dict[str, list[Episode]] = defaultdict(list)
    for one in episodes(held):
        if one.begun >= held.since and one.agent in fleet:
            found[one.agent].append(one)

    def line(provider: str, agent: str, about: list[str]) -> RecoveryLine | None:
        mine = [one for name in about for one in found[name]]
        if not mine:
            return None
        middle, low, high = (None if at is None else rounded(at) for at in median_of(_curve(mine)))
        standing = sum(not one.recovered for one in mine)
        return RecoveryLine(
            provider=provider,
            agent=agent,
            breaks=len(mine),
            standing=standing,
            median_s=middle,
            low_s=low,
            high_s=high,
            few=len(mine) < FEW,
        )

    curve = _curve([one for mine in found.values() for one in mine])
    points = (
        CurvePoint(at_s=rounded(one.at), share=rounded(one.share), low=rounded(one.low), high=rounded(one.high))
        for one in curve
    )
    return tuple(fleet.lines(line)), tuple(points)


def episodes(held: Material) -> Iterator[Episode]:
    """Every break of every agent, in the order in which they end."""
    broken: dict[str, set[tuple[str, str]]] = defaultdict(set)
    begun: dict[str, datetime] = {}
    for event in held.locks:
        locks, key = broken[event.agent], (event.workflow, event.named)
        if event.verdict == "breaking":
            if event.cause == "agent" or key in locks:
                locks.add(key)
                begun.setdefault(event.agent, event.at)
            continue
        for agent in _meant(event, key, broken):
            broken[agent].discard(key)
            if not broken[agent] and agent in begun:
                since = begun.pop(agent)
                yield Episode(agent, since, max((event.at - since).total_seconds(), 0.0), event.cause == "agent")
    for agent, since in sorted(begun.items()):
        yield Episode(agent, since, max((held.ended - since).total_seconds(), 0.0), recovered=False)


def _meant(event: LockEvent, key: tuple[str, str], broken: dict[str, set[tuple[str, str]]]) -> list[str]:
    """A pin and a release name the agent as the lock does: who is meant is whoever has this lock broken."""
    if event.verdict not in {"lockfile-pinned", "lockfile-released"}:
        return [event.agent]
    return sorted(agent for agent, locks in broken.items() if key in locks)


def _curve(found: list[Episode]) -> tuple[Step, ...]:
    ended = [one.lasted_s for one in found if one.recovered]
    return survival(ended, [one.lasted_s for one in found if not one.recovered])
