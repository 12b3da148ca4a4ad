import json
from contextlib import chdir
from pathlib import Path

import pytest

from cardtrail.services.cli.formats.lock_line import lock_path
from cardtrail.services.cli.formats.place import path, spanned, uri
from cardtrail.services.cli.formats.report import Place


@pytest.mark.parametrize(
    ("subject", "place"),
    [
        ("skills[quote].inputModes", "$.requires.skills.quote.input"),
        ("skills[quote].outputModes", "$.requires.skills.quote.output"),
        ("skills[quote].security", "$.requires.skills.quote.scopes"),
        ("skills[quote] input-mode text/plain", "$.requires.skills.quote.input"),
        ("skills[a]].b].tags", "$.requires.skills['a]].b']"),
        ("skills[odd name]", "$.requires.skills['odd name']"),
        ("capabilities.streaming", "$.requires.streaming"),
        ("capabilities.pushNotifications", "$.requires.push"),
        ("capabilities.extendedAgentCard", "$.requires.extended_card"),
        ("capabilities.extensions[https://x.example/e].params", "$.requires.extensions"),
        ("interface", "$.interface"),
        ("interface.version", "$.interface.version"),
        ("interfaces[JSONRPC 1.0]", "$.interface"),
        ("version", "$.agent_version"),
        ("signatures", "$.signer"),
        ("securitySchemes[o].urls", "$.credentials"),
        ("anything new", "$.agent"),
    ],
)
def test_a_subject_leads_to_the_member_of_the_lock_that_it_breaks(subject: str, place: str) -> None:
    assert lock_path(subject) == place


@pytest.mark.parametrize("value", ['"text"', "[\n 1,\n 2\n]", "true", '{"a": "}\\""}', "-1.5e3"])
def test_a_place_ends_where_its_value_ends(value: str) -> None:
    text = f'{{\n  "x": {value},\n  "y": 1\n}}'
    json.loads(text)
    place = spanned("f", text, 2, 8)
    lines = text.split("\n")
    last = lines[place.end_line - 1][: place.end_column - 1]
    read = "\n".join([*lines[1 : place.end_line - 1], last])[7:] if place.end_line > 2 else last[7:]
    assert json.loads(read) == json.loads(value)


@pytest.mark.parametrize(("line", "column"), [(0, 0), (9, 1), (2, 3)])
def test_a_place_without_a_value_has_no_end(line: int, column: int) -> None:
    assert spanned("f", "{\n }", line, column).end_line == 0


def test_an_unknown_line_leaves_the_file() -> None:
    assert spanned("f", "{}", 7, 1) == Place("f")
    assert str(Place("f", 3, 4)) == "f:3:4"
    assert str(Place("f")) == "f"


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("locks/trip lock.json", "locks/trip%20lock.json"),
        ("./a.json", "a.json"),
        ("/etc/a.json", "file:///etc/a.json"),
        ("-", "stdin"),
        ("https://x.example/a?b=c d", "https://x.example/a?b=c%20d"),
        ("ü\udce4.json", "%C3%BC%3F.json"),
    ],
)
def test_a_file_is_named_by_a_uri(file: str, expected: str) -> None:
    assert uri(file) == expected


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("na sty%2F.json", "na sty%2F.json"),
        (".//locks/../a.json", "a.json"),
        ("/etc/a.json", "/etc/a.json"),
        ("-", "stdin"),
        ("https://x.example/a?b=c d", "https://x.example/a?b=c d"),
        ("a\nb.json", "a\\u000ab.json"),
    ],
)
def test_a_repository_names_a_file_as_it_is(file: str, expected: str) -> None:
    assert path(file) == expected


def test_a_file_below_the_working_directory_is_named_from_there(tmp_path: Path) -> None:
    link = tmp_path / "link"
    (tmp_path / "real").mkdir()
    link.symlink_to(tmp_path / "real")
    with chdir(tmp_path / "real"):
        for file in (tmp_path / "real/na sty.json", link / "na sty.json"):
            assert (path(str(file)), uri(str(file))) == ("na sty.json", "na%20sty.json")
        assert path(str(tmp_path / "other.json")) == str(tmp_path / "other.json")
