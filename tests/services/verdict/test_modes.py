import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardtrail.services.verdict.modes import Offer, added, essence, listed, missing

MODES = st.sampled_from(["text", "text/plain", "JSON", "application/json", "image/png; q=1", "image/*", "*/*", "x"])


@pytest.mark.parametrize(
    ("offered", "wanted", "is_covered"),
    [
        ("Text/Plain; charset=utf-8", "text/plain", True),
        ("text/plain", "TEXT/PLAIN;format=flowed", True),
        ("text", "text/plain", False),
        ("*/*", "application/json", True),
        ("*", "application/json", True),
        ("*", "*/*", True),
        ("image/*", "image/png", True),
        ("image/*", "audio/ogg", False),
        ("image/png", "image/*", False),
        ("*/*", "text", False),
        ("application/json", "application/vnd.partner+json", False),
    ],
)
def test_types_compare_without_case_and_parameters_and_words_are_opaque(
    offered: str, wanted: str, is_covered: bool
) -> None:
    assert Offer([offered]).covers(wanted) is is_covered


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("text", "text/plain"),
        ("json", "application/json"),
        ("PDF", "application/pdf"),
        ("xml", "text/xml"),
        ("jpg", "image/jpeg"),
    ],
)
def test_a_word_and_its_type_are_spellings_of_each_other(one: str, other: str) -> None:
    assert Offer([other]).respelling(one) == other
    assert Offer([one]).respelling(other) == one


@pytest.mark.parametrize(
    ("word", "offered", "found"), [("text", "text/*", True), ("x", "*/*", True), ("text", "image/*", False)]
)
def test_a_word_may_be_meant_by_a_range_and_no_range_by_a_word(word: str, offered: str, found: bool) -> None:
    assert (Offer([offered]).respelling(word) == offered) is found
    assert Offer([word]).respelling(offered) is None


@pytest.mark.parametrize(
    ("one", "other"), [("text", "text/html"), ("query", "application/json"), ("text", "json"), ("", "")]
)
def test_other_words_and_types_are_not(one: str, other: str) -> None:
    assert Offer([other]).respelling(one) is None


@given(st.lists(MODES), st.lists(MODES))
def test_nothing_is_missing_from_a_wider_offer(wanted: list[str], more: list[str]) -> None:
    assert missing(wanted, [*more, *wanted]) == []
    assert set(missing(wanted, more)) <= set(wanted)
    assert added(wanted, wanted) == []


@given(st.lists(MODES))
def test_a_listing_is_the_same_in_any_order_and_case(modes: list[str]) -> None:
    assert listed(reversed(modes)) == listed(mode.upper() for mode in modes)
    assert listed(listed(modes)) == listed(modes)
    assert all(essence(mode) == mode for mode in listed(modes))


WORDS = ["text", "json", "x", "md", ""]
TYPES = ["text/plain", "text/json", "application/json", "image/png", "image/*", "*/*", "text/markdown", "a/b/c", "a/"]


@given(st.lists(st.sampled_from(WORDS + TYPES), max_size=6), st.sampled_from(WORDS + TYPES))
def test_an_index_says_what_a_look_at_each_mode_says(offered: list[str], wanted: str) -> None:
    one_by_one = [mode for mode in offered if Offer([mode]).respelling(wanted) is not None]
    assert Offer(offered).respelling(wanted) == next(iter(one_by_one), None)
    assert Offer(offered).covers(wanted) is any(Offer([mode]).covers(wanted) for mode in offered)


def test_a_mode_of_any_length_is_read_and_only_short_ones_are_remembered() -> None:
    long = "Text/Plain" + " " * 100_000 + "; charset=x"
    before = sys.getrefcount(long)
    assert essence(long) == "text/plain"
    assert sys.getrefcount(long) == before
