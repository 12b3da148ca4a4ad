"""Facets: how many rows each value of a filter would leave, the other filters kept. Pure."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Protocol

from cardtrail.events.model.value import Value
from cardtrail.services.web.asked import Asked

_SHOWN = 12


class Option(Value):
    """One value of a facet: rows that have it under the other filters, whether it is chosen."""

    value: str
    count: int
    chosen: bool


class Facet(Value):
    """A filter by name, its values with counts, the most frequent first; `more` values are not shown."""

    name: str
    options: tuple[Option, ...]
    more: int


class Filterable(Protocol):
    """What a row must have to be filtered."""

    @property
    def verdict(self) -> str: ...  # noqa: D102 — as `FleetRow`
    @property
    def heard(self) -> str: ...  # noqa: D102
    @property
    def owner(self) -> str: ...  # noqa: D102
    @property
    def workflow(self) -> str: ...  # noqa: D102
    @property
    def provider(self) -> str: ...  # noqa: D102
    @property
    def rules(self) -> tuple[str, ...]: ...  # noqa: D102


_VALUES: dict[str, Callable[[Filterable], Sequence[str]]] = {
    "verdict": lambda row: (row.verdict,),
    "heard": lambda row: (row.heard,),
    "rule": lambda row: row.rules,
    "owner": lambda row: (row.owner,),
    "workflow": lambda row: (row.workflow,),
    "provider": lambda row: (row.provider,),
}
NAMES = tuple(_VALUES)


def matches(row: Filterable, given: Asked, *, but: str = "") -> bool:
    """Whether every filter lets the row through, one of them left out."""
    chosen = ((name, given.many(name)) for name in _VALUES if name != but)
    return all(not wanted or not wanted.isdisjoint(_VALUES[name](row)) for name, wanted in chosen)


def facets(rows: Sequence[Filterable], given: Asked) -> tuple[Facet, ...]:
    """Every facet with more than one value, or with one that is chosen."""
    return tuple(facet for name in _VALUES if len((facet := _facet(name, rows, given)).options) > 1 or given.many(name))


def _facet(name: str, rows: Sequence[Filterable], given: Asked) -> Facet:
    chosen = given.many(name)
    left = [row for row in rows if matches(row, given, but=name)]
    counted = Counter(value for row in left for value in _VALUES[name](row) if value)
    counted.update(dict.fromkeys(chosen - counted.keys(), 0))
    ordered = sorted(counted.items(), key=lambda item: (item[0] not in chosen, -item[1], item[0]))
    shown = tuple(Option(value=value, count=count, chosen=value in chosen) for value, count in ordered[:_SHOWN])
    return Facet(name=name, options=shown, more=max(0, len(ordered) - _SHOWN))
