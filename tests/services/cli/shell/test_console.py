import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardtrail.services.cli.shell.console import Console, Style, as_json


@given(
    st.recursive(
        st.none() | st.text(st.characters()), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    )
)
def test_json_is_ascii_holds_no_command_and_means_the_same(value: object) -> None:
    text = as_json(value)
    assert text.isascii()
    assert all(character.isprintable() or character == "\n" for character in text)
    assert "##" not in text
    assert json.loads(text) == value


@pytest.mark.parametrize(
    ("environ", "when", "coloured"),
    [
        ({}, "auto", False),
        ({}, "always", True),
        ({"NO_COLOR": "1"}, "always", True),
        ({"CLICOLOR_FORCE": "1"}, "auto", True),
        ({"CLICOLOR_FORCE": "0"}, "auto", False),
        ({"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}, "auto", False),
        ({"CLICOLOR_FORCE": "1"}, "never", False),
    ],
)
def test_colour_follows_the_option_then_no_color_then_clicolor_force(environ: dict, when: str, coloured: bool) -> None:
    assert Console(when=when, environ=environ).out.colour is coloured


def test_a_pipe_gets_tabs_and_a_terminal_columns_of_the_same_rows() -> None:
    header, rows = ("A", "B"), [("x", "旅程"), ("longer", "")]
    assert Style().table(header, rows) == ["A\tB", "x\t旅程", "longer\t"]
    assert Style(columns=80).table(header, rows) == ["A       B", "x       旅程", "longer"]


def test_hints_are_silent_where_a_program_reads(capsys: pytest.CaptureFixture[str]) -> None:
    Console(json=True, environ={}).hint("next: x")
    Console(environ={}).hint("next: x")
    assert capsys.readouterr() == ("", "next: x\n")


def test_under_a_runner_no_line_of_either_stream_is_a_command(capsys: pytest.CaptureFixture[str]) -> None:
    console = Console(environ={"GITHUB_ACTIONS": "true"})
    console.lines("::error::owned", "fine ##[error]owned")
    console.problem("  ::warning::owned")
    out, err = capsys.readouterr()
    assert out == "\\u003a:error::owned\nfine #\\u0023[error]owned\n"
    assert err == "  \\u003a:warning::owned\n"
