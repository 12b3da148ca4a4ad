import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cardtrail.events.errors import DocumentRefused
from cardtrail.services.card.document import LIMITS, Limits
from cardtrail.services.card.parse import parse
from cardtrail.services.card.paths import member, parent, shown
from cardtrail.services.card.scanner import scan

texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=12)
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=25,
)


def refused(document: bytes, limits: Limits = LIMITS) -> DocumentRefused:
    with pytest.raises(DocumentRefused) as caught:
        parse(document, limits)
    return caught.value


def paths(value: Any, at: str = "$") -> list[tuple[str, Any]]:
    found = [(at, value)]
    if isinstance(value, dict):
        for name, item in value.items():
            found += paths(item, member(at, name))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            found += paths(item, f"{at}[{index}]")
    return found


@given(values, st.sampled_from([None, 0, 2]), st.booleans())
@settings(max_examples=150)
def test_both_readers_and_the_json_module_agree_on_every_valid_document(
    value: Any, indent: int | None, ascii_only: bool
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    document = parse(text.encode())
    assert json.dumps(document.value) == json.dumps(json.loads(text)) == json.dumps(scan(text).value)


@given(values, st.sampled_from([None, 1]))
@settings(max_examples=100)
def test_every_place_is_where_its_value_stands(value: Any, indent: int | None) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    document = parse(text.encode())
    rows = text.split("\n")
    for path, item in paths(value):
        line, column = document.place(path)
        rest = "\n".join([rows[line - 1][column - 1 :], *rows[line:]])
        assert json.JSONDecoder().raw_decode(rest)[0] == item or item != item  # noqa: PLR0124 — NaN only


@given(values)
@settings(max_examples=60)
def test_the_parent_of_every_path_is_a_path(value: Any) -> None:
    known = {path for path, _ in paths(value)}
    assert all(parent(path) in known for path in known)


@pytest.mark.parametrize(
    "name", ["[", "['", "']", "a.b", "\\", "\\'", "'", "]", "", "$", "[0]", "\n", "x" * 300, "\u202e"]
)
def test_the_parent_of_an_odd_name_is_what_holds_it(name: str) -> None:
    assert parent(member("$.a[0]", name)) == "$.a[0]"
    assert parent(member(member("$", name), "b")) == member("$", name)
    assert parse(json.dumps({name: {"b": 1}}).encode()).place(member(member("$", name), "c")) != (0, 0)


def test_what_is_no_path_has_the_document_as_its_parent() -> None:
    assert [parent(text) for text in ("", "$", "x", "$.a", "$[0]")] == ["$"] * 5


def test_a_place_that_is_not_there_is_that_of_the_value_around_it() -> None:
    document = parse(b'{\n  "a": {"b": [1, 2]}\n}')
    assert document.place("$.a.b[1]") == (2, 18)
    assert document.place("$.a.c.d[3]") == (2, 8)
    assert document.place("$.zzz") == (1, 1)


def test_a_repeated_member_with_two_values_is_refused_where_it_stands() -> None:
    error = refused(b'{"x": 1,\n "capabilities": {\n  "streaming": true,\n  "streaming": false}}')
    assert (error.code, error.path, error.line, error.column) == (
        "json-duplicate-member",
        "$.capabilities.streaming",
        4,
        3,
    )
    assert error.message == "false, but true on line 3"


@pytest.mark.parametrize("pair", [b"1, 1.0", b"true, 1", b'"a", "b"', b"null, 0", b"[], {}", b'{"a":1}, {"a":true}'])
def test_values_that_only_look_alike_are_two_values(pair: bytes) -> None:
    one, other = pair.split(b", ")
    assert refused(b'{"url": %s, "url": %s}' % (one, other)).code == "json-duplicate-member"


def test_a_member_repeated_with_an_equal_value_is_a_finding_and_one_value() -> None:
    document = parse(b'{"a": {"b": 1},\n"a": {"b": 1}}')
    assert document.value == {"a": {"b": 1}}
    assert [(note.code, note.path, note.line, note.column) for note in document.notes] == [("CT001", "$.a", 2, 1)]
    assert parse(b'{"a": {"b": 1}, "c": {"b": 1}}').notes == ()


@pytest.mark.parametrize("text", ['":"', r'"\u003a"', r'"\u003A"', r'"\\u003a"', r'"a\u003Ab: c"'])
def test_no_colon_in_a_text_hides_a_repeated_member(text: str) -> None:
    assert refused(b'{"url": "a", "x": %s, "url": "b"}' % text.encode()).code == "json-duplicate-member"
    assert [note.code for note in parse(b"{%s: 1, %s: 1}" % (text.encode(), text.encode())).notes] == ["CT001"]
    assert parse(b'{"x": %s, %s: 1}' % (text.encode(), text.encode())).value == {
        "x": json.loads(text),
        json.loads(text): 1,
    }


def test_a_text_that_looks_like_a_long_number_is_a_text() -> None:
    assert parse(b'{"Infinity": "%s"}' % (b"-" * 500)).value == {"Infinity": "-" * 500}
    assert parse(b"[0.%s]" % (b"3" * 120)).value == [float("0." + "3" * 120)]


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e400", "-1e400", "9" * 100 + "e300"])
def test_a_number_beyond_a_double_is_refused_with_its_path(number: str) -> None:
    error = refused(b'{"capabilities": {"extensions": [{"params": {"n": %s}}]}}' % number.encode())
    assert (error.code, error.path) == ("non-finite-number", "$.capabilities.extensions[0].params.n")


def test_integers_are_read_exactly_up_to_a_length() -> None:
    assert parse(b"[9007199254740993]").value == [9007199254740993]
    assert parse(b"[%s]" % (b"7" * 128)).value == [int("7" * 128)]
    assert refused(b"[%s]" % (b"7" * 129)).code == "number-too-long"
    assert refused(b"[1.%s]" % (b"7" * 200)).code == "number-too-long"
    assert refused(b"9" * 5000).code == "number-too-long"


@pytest.mark.parametrize("text", [r'["\ud800"]', r'{"\udfff": 1}', r'{"a": {"b": "x\ud800y"}}', r'["\ude00\ud83d"]'])
def test_half_a_surrogate_pair_is_refused_in_names_and_texts(text: str) -> None:
    assert refused(text.encode()).code == "lone-surrogate"


def test_a_whole_surrogate_pair_is_one_character() -> None:
    assert parse(rb'["\ud83d\ude00", "\u00e9"]').value == ["😀", "é"]


def test_a_byte_order_mark_is_accepted_with_a_note_and_shifts_no_column() -> None:
    document = parse(b'\xef\xbb\xbf{"a": x}'.replace(b"x", b"1"))
    assert document.value == {"a": 1}
    assert [note.code for note in document.notes] == ["CT002"]
    assert document.place("$.a") == (1, 7)
    assert parse(b'{"a": 1}').notes == ()


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-be", "utf-32-le"])
def test_other_encodings_than_utf8_are_refused(encoding: str) -> None:
    assert refused('{"a": 1}'.encode(encoding)).code == "encoding"


def test_bytes_that_are_not_utf8_are_refused_where_they_stand() -> None:
    error = refused(b'{"a":\n "\xe9"}')
    assert (error.code, error.line, error.column) == ("encoding", 2, 3)
    assert refused(b'{"a": "\xed\xa0\x80"}').code == "encoding"
    assert refused(b"\x1f\x8b\x08\x00").code == "encoding"


def test_size_depth_and_count_have_limits() -> None:
    assert refused(b" " * (LIMITS.size + 1)).code == "too-large"
    assert parse(b"[" * 64 + b"]" * 64).value
    assert refused(b"[" * 65 + b"]" * 65).code == "too-deep"
    assert refused(b'{"a":' * 65 + b"1" + b"}" * 65).code == "too-deep"
    assert refused(b'[["' + b"}]" * 100 + b'"],' + b"[" * 64 + b"]" * 64 + b"]").code == "too-deep"
    assert refused(b"[" * 200_000).code == "too-deep"
    assert refused(b'{"x":' * 20_000).code == "too-deep"
    assert len(parse(b"[" + b"0," * 19_999 + b"0]").value) == 20_000
    assert refused(b"[" + b"0," * 20_000 + b"0]").code == "too-many-entries"
    assert parse(b"[1, 2]", Limits(entries=2)).value == [1, 2]
    assert refused(b"[1, 2, 3]", Limits(entries=2)).code == "too-many-entries"
    assert refused(b"[[1]]", Limits(depth=1)).code == "too-deep"
    assert parse(b"[" * 100 + b"]" * 100, Limits(depth=100)).place("$[0][0]") == (1, 3)


@pytest.mark.parametrize(
    "page",
    [b"<!DOCTYPE html><html>", b"\n  <html lang=en>", b"<!-- x --><!doctype HTML>", b"<head><title>Sign in</title>"],
)
def test_a_login_page_is_recognised(page: bytes) -> None:
    error = refused(page)
    assert (error.code, error.message, error.hint) == ("card-unreadable", "an HTML page", "did a login page answer?")


def test_other_markup_is_not_called_html() -> None:
    assert refused(b"<?xml version='1.0'?><agent/>").message == "markup, not JSON"


@pytest.mark.parametrize(
    ("document", "line", "column", "hint"),
    [
        (b'{\n  "a": 1,\n}', 2, 9, ""),
        (b"[1 2]", 1, 4, ""),
        (b"{'a': 1}", 1, 2, "JSON strings take double quotes"),
        (b'{"a": True}', 1, 7, "write true"),
        (b'{"a": None}', 1, 7, "write null"),
        (b'{"a" 1}', 1, 6, ""),
        (b'{"a": 1} // x', 1, 10, "JSON has no comments"),
        (b'{"a": "x\ny"}', 1, 9, ""),
        (b'["\\x"]', 1, 3, ""),
        (b"", 1, 1, ""),
        (b" \n", 1, 1, ""),
        (b"[1", 1, 3, ""),
        (b"01", 1, 2, ""),
        (b"+1", 1, 1, ""),
        ("[１]".encode(), 1, 2, ""),
        (b"nullx", 1, 5, ""),
        ("[1,\u00a02]".encode(), 1, 4, ""),
    ],
)
def test_a_slip_in_the_syntax_is_told_with_its_place(document: bytes, line: int, column: int, hint: str) -> None:
    error = refused(document)
    assert (error.code, error.line, error.column, error.hint) == ("json-syntax", line, column, hint)
    with pytest.raises(ValueError, match=r".*"):
        json.loads(document)


def test_what_is_shown_of_a_value_is_short_and_visible() -> None:
    assert shown("a\x1b[2J\u202e\U000e0041") == '"a\\u001b[2J\\u202e\\u{e0041}"'
    assert len(shown("x" * 100_000)) == 80
    assert shown(["x"] * 1000) == "a list"
    assert member("$", "a'b\\c") == "$['a\\'b\\\\c']"
    assert member("$", "k" * 5000).endswith("…']")
