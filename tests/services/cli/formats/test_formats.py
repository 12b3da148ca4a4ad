"""What holds for every format: nothing a card says acts where it is shown, and the same report gives the same bytes."""

import re

import pytest

from cardtrail.services.cli.formats import FORMATS, render
from cardtrail.services.cli.formats.report import Report
from cardtrail.services.cli.shell.console import Style
from tests.services.cli.cards import ACTIVE, HOSTILE
from tests.services.cli.formats.reports import breaking, full, report, section, unreadable

formats = pytest.mark.parametrize("name", FORMATS)


def hostile(tool: str) -> Report:
    found = report(*full(HOSTILE).sections, unreadable(HOSTILE), repeat=f"cardtrail check {HOSTILE}")
    return Report(tool, found.sections, found.rules, repeat=found.repeat, shown="note")  # type: ignore[arg-type]


@formats
@pytest.mark.parametrize("tool", ["check", "diff", "lint"])
@pytest.mark.parametrize("style", [Style(), Style(colour=True, columns=80)])
def test_no_character_that_acts_or_hides_gets_through(name: str, tool: str, style: Style) -> None:
    text = re.sub(r"\x1b\[(?:0|3[1-6])m", "", render(name, hostile(tool), style))
    assert [character for character in ACTIVE if character in text] == []
    assert all(character.isprintable() or character == "\n" for character in text)


@formats
def test_no_line_begins_like_a_command_to_a_runner(name: str) -> None:
    lines = [line.lstrip() for line in render(name, hostile("check"), Style()).splitlines()]
    owned = [line for line in lines if line.startswith("::") and name != "github"]
    assert owned == []
    assert not any(re.search(r"^::(?!error |warning |notice )", line) for line in lines)


@formats
def test_a_value_of_a_megabyte_stays_small_where_people_read(name: str) -> None:
    text = render(name, report(section(breaking("x" * 1_000_000))), Style())
    assert name == "json" or len(text) < 20_000


@formats
def test_the_same_report_gives_the_same_bytes(name: str) -> None:
    assert render(name, full(), Style()) == render(name, full(), Style())
    assert render(name, full(), Style()).endswith("\n")


@formats
def test_lone_surrogates_and_forbidden_characters_can_be_written(name: str) -> None:
    render(name, full("\ud800\ufffe\x00"), Style()).encode()
