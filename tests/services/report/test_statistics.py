"""What is computed about durations and days, against published examples."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardtrail.services.report.statistics import median_of, quantile, resampled, survival

ENDED = [6, 6, 6, 7, 10, 13, 16, 22, 23]
STILL = [6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35]
"""Weeks of remission under 6-MP: E. J. Freireich and others, Blood 21 (1963) 699, the textbook example of this curve."""


def test_the_survival_curve_is_that_of_the_textbook() -> None:
    steps = survival(ENDED, STILL)
    assert [step.at for step in steps] == [6, 7, 10, 13, 16, 22, 23]
    assert [step.share for step in steps] == pytest.approx([0.857, 0.807, 0.753, 0.690, 0.627, 0.538, 0.448], abs=5e-4)
    assert (steps[0].low, steps[0].high) == pytest.approx((0.620, 0.952), abs=5e-4)
    assert (steps[-1].low, steps[-1].high) == pytest.approx((0.188, 0.680), abs=5e-4)
    assert median_of(steps) == (23, 13, None)


def test_without_an_end_there_is_no_curve_and_no_median() -> None:
    assert survival([], [5, 6]) == ()
    assert median_of(()) == (None, None, None)


def test_a_single_end_says_when_at_the_earliest_and_not_when_at_the_latest() -> None:
    assert median_of(survival([7], [])) == (7, 7, None)


@given(st.lists(st.integers(1, 50), max_size=30), st.lists(st.integers(1, 50), max_size=30))
def test_a_curve_only_falls_and_stays_in_its_band(ended: list[float], still: list[float]) -> None:
    before = 1.0
    for step in survival(ended, still):
        assert 0 <= step.low <= step.share <= step.high <= 1
        assert step.share < before
        before = step.share


def test_without_censoring_the_curve_is_the_plain_share_that_is_left() -> None:
    ended = [1, 2, 2, 5, 9]
    assert [step.share for step in survival(ended, [])] == pytest.approx([0.8, 0.4, 0.2, 0.0])


def test_quantiles_are_values_that_were_seen() -> None:
    assert [quantile([4, 1, 3, 2], share) for share in (0.25, 0.5, 0.95)] == [1, 2, 4]
    assert quantile([], 0.5) is None


def test_resampled_days_depend_on_the_seed_alone_and_hold_the_share() -> None:
    chance = random.Random(1)
    days = [(chance.randint(0, 86_400), 86_400) for _ in range(60)]
    share = sum(good for good, _ in days) / sum(whole for _, whole in days)
    low, high = resampled(days, "log") or (0.0, 0.0)
    assert low < share < high
    assert resampled(days, "log") == (low, high) != resampled(days, "another")


def test_days_without_an_outage_have_nothing_to_resample() -> None:
    assert resampled([(10, 10)] * 5, "log") == (1.0, 1.0)
    assert resampled([(0, 10)] * 5, "log") == (0.0, 0.0)
    assert resampled([(0, 0)], "log") is resampled([], "log") is None


def test_a_resampled_interval_holds_the_truth_about_as_often_as_it_says() -> None:
    """Days of an agent that is down a fifth of the days: 95 % intervals from sixty days, two hundred times."""
    chance, caught = random.Random(7), 0
    for turn in range(200):
        days = [(0 if chance.random() < 0.2 else 100, 100) for _ in range(60)]
        low, high = resampled(days, str(turn), draws=200) or (0.0, 0.0)
        caught += low <= 0.8 <= high
    assert 175 <= caught <= 200
