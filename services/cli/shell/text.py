"""Untrusted text made fit to show: the one escaping of the command line, pure.

Whatever cannot be seen, or makes a terminal do something, is shown as its code: control characters, ESC, bidi and zero-width
marks, tag characters, lone surrogates, private use, invisible letters (Unicode TR 36 §3).
"""

import json
import re
import unicodedata

LIMIT = 200
"""Characters of one value from a card that are shown before the rest is counted."""

_TOKEN = re.compile(r"[\w.+/;=:*@-]+")
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U0001d159\U000e0100-\U000e01ef]"
)
_OURS = re.compile(r"(\x1b\[(?:0|3[1-6])m|[\n\t])")
_COLOUR = re.compile(r"(\x1b\[(?:0|3[1-6])m)")
_PLAIN = "\x1b[0m"
_COMMAND = re.compile(r"^(\s*):(?=:)", re.MULTILINE)


def plain(data: object, limit: int = LIMIT) -> str:
    """The text on one line: unseen and controlling characters as codes, at most `limit` characters, the rest counted."""
    text = str(data)
    rest = len(text) - limit
    if rest > 0:
        text = text[:limit]
    return f"{_escaped(text)}…(+{rest} characters)" if rest > 0 else _escaped(text)


def guarded(output: str) -> str:
    """Finished output, line ends, tabs and our own colours kept: the second lock, should a command forget `plain`."""
    parts = _OURS.split(output)
    return "".join(part if index % 2 else _escaped(part) for index, part in enumerate(parts))


def json_guarded(document: str) -> str:
    """JSON text with what cannot be seen written as JSON escapes; it means the same, and people see all of it."""
    if document.isascii():
        return document
    return "".join(c if c == "\n" or _seen(c) else json.dumps(c)[1:-1] for c in document)


def code(character: str) -> str:
    r"""A character as its code: `\u202e`, `\U000e0041`."""
    point = ord(character)
    return f"\\u{point:04x}" if point <= 0xFFFF else f"\\U{point:08x}"  # noqa: PLR2004 — the end of the basic plane


def shown(data: object, limit: int = LIMIT) -> str:
    """A JSON value for people: a bare word where nothing can be mistaken, else quoted; lists as `[a, b]`, None as `-`.

    A digest is shortened; the whole stands in the JSON.
    """
    if data is None:
        return "-"
    if isinstance(data, str):
        if _DIGEST.fullmatch(data):
            return f"{data[:11]}…{data[-4:]}"
        return plain(data, limit) if _TOKEN.fullmatch(data) else f'"{plain(data, limit)}"'
    if isinstance(data, list | tuple):
        return _capped("[" + ", ".join(shown(item, limit) for item in data) + "]", limit)
    return plain(json.dumps(data, ensure_ascii=False, sort_keys=True, default=str), limit)


def width(text: str) -> int:
    """Columns that a text takes in a terminal: wide characters two, combining ones and our own colours none."""
    if "\x1b" in text:
        text = _COLOUR.sub("", text)
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def padded(text: str, columns: int) -> str:
    """The text filled up with spaces to a width in columns."""
    return text + " " * (columns - width(text))


def cut(line: str, columns: int) -> str:
    """The line as far as it fits, with an ellipsis where it does not; a colour that is cut ends there."""
    if width(line) <= columns:
        return line
    kept, left, coloured = "", columns - 1, False
    for index, part in enumerate(_COLOUR.split(line)):
        if index % 2:
            kept, coloured = kept + part, part != _PLAIN
            continue
        for character in part:
            left -= width(character)
            if left < 0:
                return f"{kept}…{_PLAIN if coloured else ''}"
            kept += character
    return kept


def disarmed(output: str) -> str:
    """Output in which no line is a command to a CI runner: none begins with `::`, none holds `##[` (GitHub, Azure)."""
    return _COMMAND.sub(r"\1\\u003a", output).replace("##[", "#\\u0023[").replace("##vso[", "#\\u0023vso[")


def _escaped(text: str) -> str:
    if text.isascii() and text.isprintable():
        return text
    return "".join(character if _seen(character) else code(character) for character in text)


def _seen(character: str) -> bool:
    return character.isprintable() and not _UNSEEN.match(character)


def _capped(text: str, limit: int) -> str:
    return text if len(text) <= 4 * limit else f"{text[: 4 * limit]}…(+{len(text) - 4 * limit} characters)"
