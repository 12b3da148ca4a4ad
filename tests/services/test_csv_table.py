"""A table as CSV: read back as it was written, and nothing in it is run by a spreadsheet."""

import csv
import io
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardtrail.services.csv_table import csv_table

RUNS = [
    "=1+1",
    "+cmd|' /C calc'!A0",
    "-2+3",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "\n=1",
    "\0=1",
    "＝1",
    "－1-1",
    "-",
    "+1 2",
    "- x",
]


def read(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline="")))


@pytest.mark.parametrize("text", RUNS)
def test_what_a_spreadsheet_would_run_begins_with_an_apostrophe_also_in_a_name(text: str) -> None:
    assert read(csv_table([text], [[text]])) == [[f"'{text}"], [f"'{text}"]]


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        *(
            (-5, "-5"),
            (-1.5, "-1.5"),
            (-1e-07, "-1e-07"),
            (Decimal("-2.50"), "-2.50"),
            ("-0.02", "-0.02"),
            ("+3", "+3"),
        ),
        *((None, ""), (True, "true"), (["=1"], '["=1"]'), ({"a": None}, '{"a": null}'), ("a=1", "a=1"), ("", "")),
    ],
)
def test_a_number_stays_a_number_and_the_rest_is_json(value: object, cell: str) -> None:
    assert read(csv_table(["x"], [[value, "end"]])) == [["x"], [cell, "end"]]


@given(st.lists(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0")), min_size=2, max_size=2)))
def test_every_text_comes_back_but_for_that_apostrophe(rows: list[list[str]]) -> None:
    for line, row in zip(read(csv_table(["a", "b"], rows))[1:], rows, strict=True):
        assert [cell.removeprefix("'") for cell in line] == [cell.removeprefix("'") for cell in row]
        assert not [cell for cell in line if cell.startswith(("=", "@"))]
