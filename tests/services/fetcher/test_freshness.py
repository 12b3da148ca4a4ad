"""RFC 9111 as far as a tracker needs it."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardtrail.events.card_fetched import Freshness, Validators
from cardtrail.services.fetcher.freshness import (
    conditions,
    confirms,
    directives,
    freshness,
    is_due_in_full,
    remaining_s,
    validators,
)
from cardtrail.services.outbound.http_time import instant, retry_after_s

NOW = datetime(2026, 10, 2, 8, 30, tzinfo=UTC)
DATE = "Fri, 02 Oct 2026 08:30:00 GMT"


@pytest.mark.parametrize(
    ("headers", "lifetime", "age", "by"),
    [
        ({}, None, 0, "default"),
        ({"cache-control": "public, max-age=3600"}, 3600, 0, "server"),
        ({"cache-control": 'Max-Age="60"'}, 60, 0, "server"),
        ({"cache-control": "max-age=60, max-age=600"}, 60, 0, "server"),
        ({"cache-control": "max-age=nonsense"}, 0, 0, "server"),
        ({"cache-control": "max-age=-1"}, 0, 0, "server"),
        ({"cache-control": "max-age=99999999999999999999"}, 2**31 - 1, 0, "server"),
        ({"cache-control": "s-maxage=10"}, None, 0, "default"),
        ({"cache-control": "s-maxage=10, max-age=20"}, 20, 0, "server"),
        ({"cache-control": "no-store, max-age=60"}, 0, 0, "server"),
        ({"cache-control": "no-cache"}, 0, 0, "server"),
        ({"cache-control": "max-age=60", "age": "45"}, 60, 45, "server"),
        ({"cache-control": "max-age=60", "date": "Fri, 02 Oct 2026 08:29:30 GMT"}, 60, 30, "server"),
        ({"cache-control": "max-age=60", "date": "Fri, 02 Oct 2026 09:30:00 GMT"}, 60, 0, "server"),
        ({"expires": "Fri, 02 Oct 2026 08:40:00 GMT", "date": DATE}, 600, 0, "server"),
        ({"expires": "Fri, 02 Oct 2026 08:00:00 GMT", "date": DATE}, 0, 0, "server"),
        ({"expires": "0"}, 0, 0, "server"),
        ({"expires": "Fri, 02 Oct 2026 08:40:00 GMT", "cache-control": "max-age=5"}, 5, 0, "server"),
    ],
)
def test_lifetime_and_age_are_what_the_server_says(
    headers: dict[str, str], lifetime: int | None, age: int, by: str
) -> None:
    found = freshness(headers, NOW)
    assert (found.lifetime_s, found.age_s, found.by) == (lifetime, age, by)


def test_what_is_left_counts_from_the_answer_and_is_never_negative() -> None:
    assert remaining_s(Freshness(lifetime_s=60, age_s=45, by="server")) == 15
    assert remaining_s(Freshness(lifetime_s=60, age_s=90, by="server")) == 0
    assert remaining_s(Freshness()) == 0


def test_validators_go_back_letter_by_letter() -> None:
    held = validators({"etag": 'W/"a b"', "last-modified": "yesterday"})
    assert conditions(held) == {"If-None-Match": 'W/"a b"'}
    assert conditions(Validators(last_modified="yesterday")) == {"If-Modified-Since": "yesterday"}
    assert conditions(Validators()) == {}
    assert validators({"etag": '"x"', "vary": "Accept, *"}) == Validators()


def test_a_date_says_nothing_of_an_answer_that_another_token_gets() -> None:
    for vary in ("Authorization", "accept, AUTHORIZATION", "Cookie"):
        assert validators({"last-modified": "yesterday", "vary": vary}) == Validators()
        assert validators({"etag": '"x"', "last-modified": "yesterday", "vary": vary}).etag == '"x"'
    assert validators({"last-modified": "yesterday", "vary": "Accept, A2A-Version"}).last_modified == "yesterday"


@pytest.mark.parametrize(
    ("held", "answered", "confirmed"),
    [
        ('"a"', None, True),
        ('"a"', '"a"', True),
        ('W/"a"', '"a"', True),
        ('"a"', 'W/"a"', True),
        ('"a"', '"b"', False),
        (None, None, False),
        (None, '"a"', False),
    ],
)
def test_a_304_counts_only_for_the_tag_we_sent(held: str | None, answered: str | None, confirmed: bool) -> None:
    assert confirms(Validators(etag=held), {"etag": answered} if answered else {}) is confirmed


def test_a_304_to_a_date_counts_whatever_tag_it_names() -> None:
    assert confirms(Validators(last_modified=DATE), {"etag": '"new"'})


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("7", 7),
        ("0", 0),
        ("Fri, 02 Oct 2026 08:31:00 GMT", 60),
        ("Fri, 02 Oct 2026 08:00:00 GMT", 0),
        ("soon", None),
        ("", None),
        ("-5", None),
    ],
)
def test_retry_after_is_seconds_or_a_date(value: str, seconds: int | None) -> None:
    assert retry_after_s({"retry-after": value}, NOW) == seconds


def test_the_whole_card_is_due_at_first_sight_and_once_in_a_period() -> None:
    assert is_due_in_full(None, NOW, 60)
    assert not is_due_in_full(NOW - timedelta(seconds=59), NOW, 60)
    assert is_due_in_full(NOW - timedelta(seconds=60), NOW, 60)


@given(st.text(), st.text())
def test_no_header_makes_reading_it_fail(one: str, other: str) -> None:
    names = ("cache-control", "age", "date", "expires", "retry-after", "vary", "etag")
    found = freshness(dict.fromkeys(names, one), NOW)
    assert found.age_s >= 0
    assert found.lifetime_s is None or 0 <= found.lifetime_s < 2**31
    assert isinstance(directives(f"{one}={other}, max-age=5"), dict)
    assert instant(one) is None or instant(one).tzinfo is not None  # type: ignore[union-attr]
    seconds = retry_after_s({"retry-after": other}, NOW)
    assert seconds is None or seconds >= 0
