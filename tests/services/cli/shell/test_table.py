"""A table on a narrow terminal: folded within its columns, nothing lost, marks with their words, colours ended."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardtrail.services.cli.shell.console import Style
from cardtrail.services.cli.shell.table import folded, table
from cardtrail.services.cli.shell.text import width

PLACE = "https://fares.other.example/.well-known/agent-card.json"
HEADER = ("AGENT", "CARD", "VERDICT", "WHY")
ROWS = [
    ("pricing", "3.2.0", "✗ breaking", "input-mode-removed"),
    (PLACE, "???", "? unknown", f"nobody watches it: cardtrail track {PLACE}"),
]
WORDS = st.text(st.sampled_from("ab旅-/. "), max_size=60).map(str.strip)


@pytest.mark.parametrize("columns", [60, 80, 120, 400])
def test_a_table_that_is_too_wide_is_folded_and_says_all_of_it(columns: int) -> None:
    lines = table(HEADER, ROWS, columns)
    assert max(map(width, lines)) <= columns
    assert not [line for line in lines if "…" in line]
    said = "".join("".join(lines).split())
    for word in ("✗breaking", "?unknown", "3.2.0"):
        assert word in said
    assert lines[1].index("✗") == lines[0].index("VERDICT")


def test_a_name_is_cut_behind_a_hyphen_only_where_there_is_no_other_room() -> None:
    rows = [("trip-planner", "itinerary-pricing", "stops: ask the travel desk", "input-mode-removed")]
    assert "itinerary-pricing" in table(HEADER, rows, 70)[1]
    assert "itinerary-pricing" not in table(HEADER, rows, 50)[1]


def test_what_fits_is_left_alone() -> None:
    assert len(table(HEADER, ROWS, 400)) == 3


def test_columns_for_which_there_is_no_room_at_all_are_cut_at_the_edge() -> None:
    lines = table(["COLUMN"] * 20, [["value"] * 20], 40)
    assert [width(line) for line in lines] == [40, 40]
    assert all(line.endswith("…") for line in lines)


def test_a_coloured_word_is_never_cut_in_two_and_its_colour_ends_with_it() -> None:
    style = Style(colour=True, columns=44)
    marked = style.marked("error", "breaking")
    lines = style.table(
        ("WORKFLOW", "NOW", "WITH THIS CARD"), [("trip-planner", marked, f"{marked}  input-mode-removed")]
    )
    assert "".join(lines).count(marked) == 2
    assert all(line.count("\x1b[31m") == line.count("\x1b[0m") for line in lines)


@given(WORDS, st.integers(2, 30))
def test_folded_text_fits_and_loses_nothing_but_spaces(text: str, columns: int) -> None:
    lines = folded(text, columns)
    assert all(width(line) <= columns for line in lines)
    assert re.sub(" ", "", "".join(lines)) == re.sub(" ", "", text)
    assert len(lines) <= max(1, len(text))
