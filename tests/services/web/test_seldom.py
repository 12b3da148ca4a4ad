"""A flood of the same warning is a line each ten minutes with its count; no error is lost."""

import logging

from cardtrail.services.web.seldom import Seldom
from tests.services.bus.test_retried import heard

log = logging.getLogger("cardtrail.test.seldom")


def said(text: str, at: float, level: int = logging.WARNING) -> None:
    record = logging.LogRecord(log.name, level, __file__, 1, text, (), None)
    record.created = at
    log.handle(record)


def test_a_warning_comes_once_then_with_its_count_and_each_error_comes() -> None:
    seldom = Seldom()
    log.addFilter(seldom)
    with heard(log) as told:
        for second in range(1_500):
            said("Exceeded concurrency limit.", second)
        said("a defect", 1_500, logging.ERROR)
        said("a defect", 1_500, logging.ERROR)
    log.removeFilter(seldom)
    again = "Exceeded concurrency limit. (600 times within 600 s)"
    assert told.lines == ["Exceeded concurrency limit.", again, again, "a defect", "a defect"]


def test_warnings_that_all_differ_take_no_memory_without_end() -> None:
    seldom = Seldom()
    for number in range(1_000):
        record = logging.LogRecord("x", logging.WARNING, "x", 1, f"line {number}", (), None)
        assert seldom.filter(record)
    assert len(seldom._said) <= 100  # noqa: SLF001 — the bound is the claim
