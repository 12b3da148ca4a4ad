"""A flood of what is no report fills neither the file nor the log."""

import logging
from pathlib import Path

import pytest

from cardtrail.events.errors import EventRefused
from cardtrail.services.bus.pull import Delivered
from cardtrail.services.observer.park import Park

MINUTE_NS = 60_000_000_000


def message(number: int, minute: int = 0) -> Delivered:
    return Delivered("cardtrail.reports.public.trip", b"junk", None, "", number, 1, minute * MINUTE_NS, 0)


def test_each_is_kept_and_counted_and_the_log_says_a_few_and_how_many_more(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    park = Park(tmp_path / "parked.jsonl")
    with caplog.at_level(logging.WARNING, "cardtrail.observer"):
        for number in range(500):
            park.keep(message(number), EventRefused("report-unreadable", "why"))
        park.keep(message(500, minute=1), EventRefused("report-unreadable", "why"))
    assert park.count == 501
    assert len((tmp_path / "parked.jsonl").read_text().splitlines()) == 501
    said = [record.getMessage() for record in caplog.records if record.name == "cardtrail.observer"]
    assert len(said) == 12
    assert said[10].startswith("490 more reports were parked within a minute")
    assert said[11].startswith("report 500 ")
