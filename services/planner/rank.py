"""The second phase of choosing: the survivors in order, by numbers alone. Pure.

First the more of the wished tags, then the better record (calls that went well, then claims confirmed), then cheaper, then
faster, then what was tried lately. Numbers that differ by chance do not decide: success counts in steps of five percent, latency
by doublings.
"""

from collections.abc import Iterable
from datetime import datetime
from math import log2

from cardtrail.events.model.value import Value

_STEPS = 20


class Record(Value):
    """What experience says of a candidate; None is "not known". Latency in milliseconds, cost in the operator's own unit.

    `tags` counts how many of the wished tags the skill bears; `held` how many of its claims probes have confirmed, the latest
    `tried_at`.
    """

    agent: str
    skill: str
    tags: int = 0
    calls: int = 0
    errors: int = 0
    held: int = 0
    tried_at: datetime | None = None
    latency_ms: float | None = None
    cost: float | None = None

    @property
    def success(self) -> float:
        """The share of calls that went well, as far as so few calls can tell (one of each is added, Laplace)."""
        return (self.calls - self.errors + 1) / (self.calls + 2)


class Ranked(Value):
    """A survivor in its place, from 1; `because` says in a few words what put it there."""

    place: int
    agent: str
    skill: str
    because: str


def ranked(records: Iterable[Record]) -> tuple[Ranked, ...]:
    """The records in order, best first; equals stand by name, so that the order never depends on chance."""
    ordered = sorted(records, key=_key)
    return tuple(
        Ranked(place=number, agent=one.agent, skill=one.skill, because=_because(one))
        for number, one in enumerate(ordered, 1)
    )


def _key(one: Record) -> tuple[float, float, float, float, float, float, str, str]:
    tried = one.tried_at.timestamp() if one.tried_at else 0.0
    cost = one.cost if one.cost is not None else float("inf")
    latency = float(int(log2(max(one.latency_ms, 1.0)))) if one.latency_ms is not None else float("inf")
    day = tried // 86_400
    return (-one.tags, -round(one.success * _STEPS), -one.held, cost, latency, -day, one.agent, one.skill)


def _because(one: Record) -> str:
    said = [f"{one.calls - one.errors} of {one.calls} calls well" if one.calls else "no calls yet"]
    if one.tags:
        said.insert(0, f"{one.tags} of the tags")
    said.append(f"{one.held} claims verified" if one.held else "nothing verified")
    if one.cost is not None:
        said.append(f"cost {one.cost:g}")
    if one.latency_ms is not None:
        said.append(f"{one.latency_ms:.0f} ms")
    return ", ".join(said)
