"""Who is in the report: agents and who answers for them, all or one provider's; and how lines about them are ordered."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeVar

from cardtrail.services.report.model import Line
from cardtrail.services.report.rows import Agent

L = TypeVar("L", bound=Line)
Number = float | None
Order = tuple[float, ...]


class Fleet:
    """The agents that a report is about."""

    def __init__(self, agents: Iterable[Agent], provider: str = "") -> None:
        """All of them, or those of one provider."""
        self.provider_of = {one.agent: one.provider for one in agents if provider in {"", one.provider}}
        self.agents_of: dict[str, list[str]] = defaultdict(list)
        for agent, name in sorted(self.provider_of.items()):
            self.agents_of[name].append(agent)

    def __contains__(self, agent: str) -> bool:
        """Whether the report is about it."""
        return agent in self.provider_of

    def lines(self, made: Callable[[str, str, list[str]], L | None]) -> Iterator[L]:
        """A line for each agent and, where a provider has several, one for them together, made from the agents it is about."""
        for provider, agents in sorted(self.agents_of.items()):
            groups = (
                [("", agents), *((agent, [agent]) for agent in agents)] if len(agents) > 1 else [(agents[0], agents)]
            )
            for agent, about in groups:
                line = made(provider, agent, about)
                if line is not None:
                    yield line


def grouped(lines: Iterable[L], order: Callable[[L], Order]) -> tuple[L, ...]:
    """Providers by the line of all their agents, their agents under it, both in this order, then by name."""
    groups: dict[str, list[L]] = defaultdict(list)
    for line in lines:
        groups[line.provider].append(line)
    for held in groups.values():
        held.sort(key=lambda line: (line.agent != "", order(line), line.agent))
    heads = sorted(groups, key=lambda name: (order(groups[name][0]), name))
    return tuple(line for name in heads for line in groups[name])


def surest_first(lines: Iterable[L], end: Callable[[L], Number], few: Callable[[L], bool]) -> tuple[L, ...]:
    """Grouped by the lower end of the interval, highest first; too few and not known at the end."""

    def order(line: L) -> Order:
        low = end(line)
        return few(line) or low is None, -(low or 0.0)

    return grouped(lines, order)


def ranks(ends: Mapping[str, Number]) -> dict[str, int]:
    """A place for each name by the lower end, highest first, to the whole percent: equal ones share it. None has no place."""
    known = {name: round(100 * end) for name, end in ends.items() if end is not None}
    return {name: 1 + sum(other > end for other in known.values()) for name, end in known.items()}
