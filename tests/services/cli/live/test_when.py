"""Instants as people write and read them."""

from datetime import UTC, datetime, timedelta, timezone

import click
import pytest

from cardtrail.events.fact import instant
from cardtrail.services.cli.live.when import Span, When, age, brief, clock, exact, long_span, span

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("2026-11-29", datetime(2026, 11, 29, tzinfo=UTC)),
        ("2026-11-29T08:00Z", datetime(2026, 11, 29, 8, tzinfo=UTC)),
        ("2026-11-29T08:00:00+02:00", datetime(2026, 11, 29, 6, tzinfo=UTC)),
        ("2026-11-29T08:00:00", datetime(2026, 11, 29, 8, tzinfo=UTC)),
    ],
)
def test_dates_and_instants_are_read_in_utc_unless_they_say_otherwise(text: str, at: datetime) -> None:
    assert When().convert(text, None, None) == at


@pytest.mark.parametrize("ahead", [False, True])
def test_a_duration_counts_from_now(ahead: bool) -> None:
    days = timedelta(days=3 if ahead else -3)
    before = datetime.now(UTC).replace(microsecond=0)
    found = When(ahead=ahead).convert("3d", None, None)
    assert before <= found - days <= datetime.now(UTC)


def test_an_end_that_counts_from_now_is_told_to_the_second() -> None:
    assert exact(When(ahead=True).convert("30d", None, None)).count(".") == 0


@pytest.mark.parametrize("text", ["", "soon", "3 weeks", "2026-13-01", "2026-11-29T25:00", "-3d", "99999999999d"])
def test_what_is_no_time_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(click.BadParameter, match="write 3d"):
        When().convert(text, None, None)


def test_what_must_lie_ahead_may_not_have_passed() -> None:
    with pytest.raises(click.BadParameter, match="has passed"):
        When(ahead=True).convert("2020-01-01", None, None)


def test_a_length_of_time_is_read_in_seconds() -> None:
    assert Span().convert("5m", None, None) == 300
    with pytest.raises(click.BadParameter):
        Span().convert("five", None, None)


def test_ages_are_for_people_and_instants_for_programs() -> None:
    since = "2026-11-30T11:57:00Z"
    assert age(since, NOW) == "3 m"
    assert age(since, NOW, terminal=False) == "2026-11-30T11:57:00Z"
    assert age(None, NOW) == "-"
    assert age("2026-11-30T13:00:00Z", NOW) == "0 s"


@pytest.mark.parametrize(("seconds", "said"), [(0, "0 s"), (59.9, "59 s"), (3_600, "1 h"), (41 * 86_400.0, "41 d")])
def test_a_span_is_said_in_its_largest_unit(seconds: float, said: str) -> None:
    assert span(seconds) == said


@pytest.mark.parametrize(("seconds", "said"), [(1651, "27 m 31 s"), (3_600, "1 h"), (90_061, "1 d 1 h"), (12, "12 s")])
def test_a_long_span_has_two_units(seconds: float, said: str) -> None:
    assert long_span(seconds) == said


def test_another_year_is_named() -> None:
    assert clock(datetime(2026, 11, 28, 21, 58, tzinfo=UTC), NOW) == "11-28 21:58:00"
    assert clock(datetime(2025, 11, 28, 21, 58, tzinfo=UTC), NOW) == "2025-11-28 21:58:00"


@pytest.mark.parametrize(
    ("at", "shown"),
    [
        (datetime(2026, 11, 30, 11, 57, 0, 123456, tzinfo=UTC), "2026-11-30T11:57:00Z"),
        (datetime(2026, 11, 30, 11, 57, 59, 999999, tzinfo=UTC), "2026-11-30T11:57:59Z"),
        (datetime(2026, 11, 30, 12, 57, tzinfo=timezone(timedelta(hours=1))), "2026-11-30T11:57:00Z"),
    ],
)
def test_text_has_instants_to_the_second_and_what_was_asked_for_whole(at: datetime, shown: str) -> None:
    assert (brief(at), clock(at, NOW, terminal=False)) == (shown, shown)
    assert datetime.fromisoformat(exact(at)) == at
    assert exact(instant(at)) == exact(at)


@pytest.mark.parametrize("text", ["2262-01-01", "2263-01-01", "9999-12-31T23:59:59Z"])
def test_an_instant_beyond_what_a_log_can_count_is_refused(text: str) -> None:
    with pytest.raises(click.BadParameter, match="after 2261"):
        When().convert(text, None, None)
    assert When(ahead=True).convert(text, None, None).year > 2261
