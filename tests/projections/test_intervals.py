"""Intervals against published tables, and the SQL macros against the same functions."""

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardtrail.projections.intervals import EXACT_TO, effective, macros, poisson, wilson

TABLE = {  # E. S. Pearson, H. O. Hartley, Biometrika Tables for Statisticians I, table 40: 95 % limits of a Poisson count
    0: (0.0, 3.69),
    1: (0.0253, 5.57),
    2: (0.242, 7.22),
    5: (1.62, 11.67),
    10: (4.80, 18.39),
    20: (12.22, 30.89),
    50: (37.11, 65.92),
}


def test_twenty_of_twenty_is_eighty_four_to_a_hundred_percent_and_none_of_three_is_up_to_fifty_six() -> None:
    assert [round(100 * end) for end in wilson(20, 20)] == [84, 100]
    assert [round(100 * end) for end in wilson(0, 3)] == [0, 56]
    assert wilson(0, 0) == (0.0, 1.0)


def test_wilson_is_as_published() -> None:
    """R. G. Newcombe, Statistics in Medicine 17 (1998) 857, table I, method 3."""
    for (held, tried), ends in {
        (81, 263): (0.2553, 0.3662),
        (15, 148): (0.0624, 0.1605),
        (0, 20): (0.0, 0.1611),
        (1, 29): (0.0061, 0.1718),
    }.items():
        assert wilson(held, tried) == pytest.approx(ends, abs=5e-5)


@pytest.mark.parametrize("count", TABLE)
def test_poisson_is_the_exact_interval_of_the_tables(count: int) -> None:
    assert poisson(count) == pytest.approx(TABLE[count], abs=0.006)


def test_beyond_the_exact_counts_the_approximation_goes_on_without_a_jump() -> None:
    last, first = poisson(EXACT_TO), poisson(EXACT_TO + 1)
    assert [round(high - low, 1) for low, high in zip(last, first, strict=True)] == [0.9, 1.1]
    assert poisson(100) == pytest.approx((81.364, 121.627), rel=1e-4)


def test_a_mean_of_shares_is_worth_what_its_least_tried_part_allows() -> None:
    assert effective([10, 10]) == pytest.approx(20)
    assert effective([1, 1000]) == pytest.approx(4, abs=0.01)
    assert effective([]) == effective([5, 0]) == 0


@given(st.integers(1, 10_000).flatmap(lambda tried: st.tuples(st.integers(0, tried), st.just(tried))))
def test_an_interval_holds_its_share_and_is_its_own_mirror(given_: tuple[int, int]) -> None:
    held, tried = given_
    low, high = wilson(held, tried)
    assert 0 <= low <= held / tried <= high + 1e-12
    assert high <= 1
    assert wilson(tried - held, tried) == pytest.approx((1 - high, 1 - low), abs=1e-12)


@pytest.fixture(scope="module")
def database() -> duckdb.DuckDBPyConnection:
    made = duckdb.connect()
    for macro in macros():
        made.execute(macro)
    return made


@given(held=st.integers(0, 400), more=st.integers(0, 400))
def test_sql_says_the_same(database: duckdb.DuckDBPyConnection, held: int, more: int) -> None:
    values = [held, held + more, held, held + more, held, held]
    query = "SELECT wilson_low($1, $2), wilson_high($3, $4), poisson_low($5), poisson_high($6)"
    ((*share, low, high),) = database.execute(query, values).fetchall()
    tried = held + more
    assert share == ([None, None] if not tried else [pytest.approx(end, abs=1e-12) for end in wilson(held, tried)])
    assert (low, high) == pytest.approx(poisson(held), rel=1e-8)
