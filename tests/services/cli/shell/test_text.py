import re
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from cardtrail.services.cli.shell.text import LIMIT, cut, disarmed, guarded, padded, plain, shown, width

HOSTILE = "a\x1b[2Jb\u202ec\U000e0041d\u200be\x07f\u2028g\ud800h\ufe0fi\u3164"


def test_what_cannot_be_seen_is_shown_as_its_code() -> None:
    assert plain(HOSTILE) == (r"a\u001b[2Jb\u202ec\U000e0041d\u200be\u0007f\u2028g\ud800h\ufe0fi\u3164")


def test_plain_text_in_any_script_stays_as_it_is() -> None:
    assert plain("Reisepläne 旅程 מסלול маршрут") == "Reisepläne 旅程 מסלול маршрут"


def test_a_long_text_is_cut_and_the_rest_counted() -> None:
    assert plain("x" * (LIMIT + 7)) == "x" * LIMIT + "…(+7 characters)"


@given(st.text(st.characters(), max_size=300))
def test_shown_text_is_one_visible_line_of_bounded_length(data: str) -> None:
    text = plain(data)
    assert all(character.isprintable() for character in text)
    assert not re.search(r"[\r\n\x1b]", text)
    assert len(text) <= LIMIT * 10 + 30
    assert plain(text, len(text)) == text or len(data) > LIMIT


@given(st.text(st.characters(), max_size=80))
def test_finished_output_keeps_our_colours_and_nothing_else_that_controls(data: str) -> None:
    output = guarded(f"\x1b[31m{data}\x1b[0m\n")
    assert output.startswith("\x1b[31m")
    assert output.endswith("\x1b[0m\n")
    rest = re.sub(r"\x1b\[(?:0|3[1-6])m|[\n\t]", "", output)
    assert all(unicodedata.category(character) not in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"} for character in rest)


def test_a_value_that_could_be_mistaken_for_a_list_is_quoted() -> None:
    assert shown(["text/plain", "a, b]"]) == '[text/plain, "a, b]"]'
    assert shown("3.2.0") == "3.2.0"
    assert shown(None) == "-"
    assert shown({"b": 1, "a": "\u202e"}) == '{"a": "\\u202e", "b": 1}'


@given(
    st.lists(st.sampled_from(["::error::x", " ::", "##[error]", "##vso[task]", "\t::", "a::b", "#", "["]), max_size=8)
)
def test_no_line_is_a_command_to_a_runner(parts: list[str]) -> None:
    for joint in ("\n", ""):
        output = disarmed(joint.join(parts))
        assert "##[" not in output
        assert "##vso[" not in output
        assert not any(line.lstrip().startswith("::") for line in output.splitlines())


def test_a_wide_character_takes_two_columns() -> None:
    assert width("旅程") == 4
    assert width("e\u0301") == 1
    assert padded("旅", 4) == "旅  "


def test_a_line_is_cut_at_the_edge_of_the_terminal() -> None:
    assert cut("abcdef", 6) == "abcdef"
    assert cut("abcdefg", 6) == "abcde…"
    assert width(cut("旅程旅程", 6)) <= 6
