"""What was watched for minutes is told as it was seen, and never as what a month of it would be."""

import re
from pathlib import Path
from typing import Any

import pytest

from cardtrail.services.report import charts
from cardtrail.services.report.captions import captions
from cardtrail.services.report.report import Report
from cardtrail.services.report.shares import rate_of
from cardtrail.services.report.summary import sentences
from cardtrail.services.report.wording import rated
from tests.services.report.test_report import report

_MINUTES = 5 / 1440


@pytest.fixture(scope="module")
def season(tmp_path_factory: pytest.TempPathFactory) -> Report:
    return report(Path(tmp_path_factory.mktemp("season")))


@pytest.fixture(scope="module")
def minutes(season: Report) -> Report:
    """The same, as if every agent had been watched for five minutes on one day, and broke once."""
    few = {"changes": rate_of(1, _MINUTES), "breaks": rate_of(1, _MINUTES)}
    (broken, *_) = [one for one in season.recovery if one.agent]
    changes: dict[str, Any] = {
        "changes": tuple(one.model_copy(update=few) for one in season.changes),
        "providers": (season.providers[0].model_copy(update=few),),
        "recovery": (broken.model_copy(update={"breaks": 1, "standing": 0}),),
        "curve": (season.curve[0].model_copy(update={"at_s": 120.0, "share": 0.0}),),
        "days": tuple(one for one in season.days if one.day == season.days[0].day),
    }
    return season.model_copy(update=changes)


def test_a_rate_needs_a_day_of_watching() -> None:
    assert rated(rate_of(3, _MINUTES)) == "watched too short"
    assert rated(rate_of(3, 0)) == "–"
    assert rated(rate_of(3, 30)).startswith("3.0 (")


def test_no_headline_speaks_of_thirty_days(minutes: Report) -> None:
    told = captions(minutes)["weeks"]
    assert told.endswith(" most, 1 distinct change; it was watched too short for a rate.")


def test_one_break_is_not_half_of_some(minutes: Report) -> None:
    assert sentences(minutes)[2].endswith("; it was mended within 2 minutes.")
    assert captions(minutes)["curve"] == "The one break was mended within 2 minutes."


def test_breaks_counted_each_time_are_told_apart_from_distinct_ones(season: Report) -> None:
    times = sum(one.breaks for one in season.recovery if one.agent)
    assert f"; of {times:,} times that one broke, " in sentences(season)[2]


@pytest.mark.skipif(not charts.available(), reason="without the charts' libraries")
@pytest.mark.parametrize("days", [1, 2, 4, 30])
def test_an_axis_says_no_date_twice(season: Report, days: int) -> None:
    first = sorted({one.day for one in season.days})[:days]
    few = season.model_copy(update={"days": tuple(one for one in season.days if one.day in first)})
    labels = re.findall(r">([0-9]+ [A-Z][a-z]{2}[^<]*)</text>", charts.drawn(few)["days"])
    assert labels
    assert len(labels) == len(set(labels))
