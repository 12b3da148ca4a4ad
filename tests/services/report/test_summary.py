"""The three sentences read well where there is one of a thing, and where nothing has ended yet."""

from pathlib import Path

import pytest

from cardtrail.services.report.model import Rate
from cardtrail.services.report.report import Report
from cardtrail.services.report.summary import sentences
from tests.services.report.test_report import report


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """One provider, watched for a day, with one change that broke a workflow and stands."""
    made = report(Path(tmp_path_factory.mktemp("summary")))
    once = Rate(count=1, days=1.0, per_30_days=None, low=None, high=None)
    first = made.providers[0].model_copy(update={"changes": once, "breaks": once})
    stands = next(one for one in made.recovery if one.agent).model_copy(update={"breaks": 1, "standing": 1})
    changes = {"providers": (first,), "recovery": (stands,), "curve": (), "since": made.until}
    return made.model_copy(update=changes)


def test_one_day_is_named_once(small: Report) -> None:
    assert sentences(small)[0].startswith("On ")


def test_one_change_was_and_a_break_that_stands_is_mended_by_nobody(small: Report) -> None:
    told = sentences(small)[2]
    assert told.startswith("There was 1 distinct change of cards and 1 distinct break of a workflow; ")
    assert told.endswith("; none was mended by its provider so far.")
