"""The order of those that passed: by numbers, explained, and the same whatever order they come in."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardtrail.services.planner.rank import Record, ranked

NOW = datetime(2026, 10, 2, 8, 30, tzinfo=UTC)


def one(agent: str, **numbers: Any) -> Record:
    return Record(agent=agent, skill="convert", **numbers)


def order(*records: Record) -> list[str]:
    return [found.agent for found in ranked(records)]


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ({"tags": 2}, {"tags": 1}),
        ({"calls": 100}, {"calls": 100, "errors": 20}),
        ({"calls": 100}, {}),
        ({"held": 3}, {"held": 1}),
        ({"cost": 0.5}, {"cost": 2.0}),
        ({"cost": 0.5}, {}),
        ({"latency_ms": 40.0}, {"latency_ms": 400.0}),
        ({"latency_ms": 40.0}, {}),
        ({"tried_at": NOW}, {"tried_at": NOW - timedelta(days=9)}),
        ({"tags": 2, "errors": 9, "calls": 10}, {"tags": 1, "calls": 100}),
    ],
)
def test_the_better_number_comes_first(better: dict[str, Any], worse: dict[str, Any]) -> None:
    assert order(one("a", **worse), one("b", **better)) == ["b", "a"]


def test_what_chance_can_explain_decides_nothing() -> None:
    assert order(one("b", calls=1_000, errors=1), one("a", calls=1_000, errors=2)) == ["a", "b"]
    assert order(one("b", latency_ms=41.0), one("a", latency_ms=44.0)) == ["a", "b"]


@given(st.permutations([one(name, calls=calls) for name in "abcd" for calls in (0, 10)]))
def test_the_order_never_depends_on_the_order(records: list[Record]) -> None:
    places = [(found.place, found.agent) for found in ranked(records)]
    assert places == [(found.place, found.agent) for found in ranked(sorted(records, key=lambda r: (r.agent, r.calls)))]


def test_each_place_says_why() -> None:
    (first,) = ranked([one("a", tags=1, calls=10, errors=1, held=2, latency_ms=12.0, cost=0.25)])
    assert first.because == "1 of the tags, 9 of 10 calls well, 2 claims verified, cost 0.25, 12 ms"
