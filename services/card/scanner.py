"""The exact JSON reader (RFC 8259): slow, keeps the place of everything, says where and why it refuses.

`parse` comes here only when a place is asked for or the fast reader met something odd; both accept the same documents.
"""

import re
from json.decoder import JSONDecodeError, scanstring  # type: ignore[attr-defined]  # undocumented, stable since 2.6
from typing import Any, NamedTuple, NoReturn

from cardtrail.services.card.json_values import LONE_SURROGATE, same
from cardtrail.services.card.paths import member, shown
from cardtrail.services.card.places import LIMITS, Limits, Places, place_at, refused

_SPACE = re.compile(r"[ \t\n\r]*")
_NUMBER = re.compile(r"(-?(?:0|[1-9][0-9]*))(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_CONSTANTS: dict[str, Any] = {"true": True, "false": False, "null": None}
_NOT_FINITE = re.compile(r"NaN|-?Infinity")
_WORD = re.compile(r"[A-Za-z_]+")
_HINTS = {
    "'": "JSON strings take double quotes",
    "/": "JSON has no comments",
    "#": "JSON has no comments",
    "True": "write true",
    "False": "write false",
    "None": "write null",
    "undefined": "write null, or leave the member out",
}


class Scanned(NamedTuple):
    """The value, where everything stands, and the (path, first offset, second offset) of members repeated with one value."""

    value: Any
    places: Places
    repeats: tuple[tuple[str, int, int], ...]


def scan(text: str, limits: Limits = LIMITS) -> Scanned:
    """Read the whole text.

    Raises:
        DocumentRefused: with line, column and JSON path; codes as `parse` lists them.
    """
    scanner = _Scanner(text, limits)
    offset = scanner.space(0)
    value, offset = scanner.value(offset, "$", 0)
    offset = scanner.space(offset)
    if offset != len(text):
        scanner.syntax(offset, "$", "more after the end of the document")
    return Scanned(value, scanner.values, tuple(scanner.repeats))


class _Scanner:
    """One walk; every method takes an offset and gives the one after what it read."""

    def __init__(self, text: str, limits: Limits) -> None:
        self.text, self.limits = text, limits
        self.values: Places = {}
        self.names: dict[str, int] = {}
        self.repeats: list[tuple[str, int, int]] = []
        self.entries = 0

    def refuse(self, offset: int, path: str, code: str, message: str, hint: str = "") -> NoReturn:
        raise refused(self.text, offset, code, message, path, hint)

    def syntax(self, offset: int, path: str, message: str) -> NoReturn:
        rest = self.text[offset : offset + 20]
        word = _WORD.match(rest)
        self.refuse(offset, path, "json-syntax", message, _HINTS.get(word[0] if word else rest[:1], ""))

    def space(self, offset: int) -> int:
        match = _SPACE.match(self.text, offset)
        return match.end() if match else offset

    def value(self, offset: int, path: str, depth: int) -> tuple[Any, int]:
        """Whatever stands here; `depth` counts the containers around it."""
        self.values.setdefault(path, offset)
        char = self.text[offset : offset + 1]
        if char == '"':
            return self.string(offset, path)
        if char in ("{", "["):
            if depth == self.limits.depth:
                self.refuse(offset, path, "too-deep", f"nested deeper than {self.limits.depth} levels")
            return self.members(offset, path, depth) if char == "{" else self.items(offset, path, depth)
        return self.atom(offset, path)

    def members(self, offset: int, path: str, depth: int) -> tuple[dict[str, Any], int]:
        found: dict[str, Any] = {}
        offset = self.space(offset + 1)
        if self.text[offset : offset + 1] == "}":
            return found, offset + 1
        while True:
            if self.text[offset : offset + 1] != '"':
                self.syntax(offset, path, "a member name in double quotes is due")
            name_at = offset
            name, offset = self.string(offset, path)
            at = member(path, name)
            offset = self.space(offset)
            if self.text[offset : offset + 1] != ":":
                self.syntax(offset, at, "a colon is due after the member name")
            value, offset = self.value(self.space(offset + 1), at, depth + 1)
            self.keep(found, name, value, at, name_at)
            offset = self.separator(offset, path, "}")
            if offset < 0:
                return found, -offset

    def items(self, offset: int, path: str, depth: int) -> tuple[list[Any], int]:
        found: list[Any] = []
        offset = self.space(offset + 1)
        if self.text[offset : offset + 1] == "]":
            return found, offset + 1
        while True:
            at = f"{path}[{len(found)}]"
            value, offset = self.value(offset, at, depth + 1)
            self.count(offset, at)
            found.append(value)
            offset = self.separator(offset, path, "]")
            if offset < 0:
                return found, -offset

    def keep(self, found: dict[str, Any], name: str, value: Any, path: str, name_at: int) -> None:  # noqa: ANN401 — a JSON value and its place
        """Take a member in; a second value for one name is refused, an equal one is remembered."""
        self.count(name_at, path)
        if name in found:
            if not same(found[name], value):
                line = place_at(self.text, self.names[path])[0]
                message = f"{shown(value)}, but {shown(found[name])} on line {line}"
                self.refuse(name_at, path, "json-duplicate-member", message, "keep one of the two")
            self.repeats.append((path, self.names[path], name_at))
        found[name] = value
        self.names[path] = name_at

    def separator(self, offset: int, path: str, end: str) -> int:
        """The offset of the next entry, or minus the offset after the end of the container."""
        offset = self.space(offset)
        char = self.text[offset : offset + 1]
        if char == end:
            return -(offset + 1)
        if char != ",":
            self.syntax(offset, path, f"a comma or {end} is due")
        after = self.space(offset + 1)
        if self.text[after : after + 1] == end:
            self.syntax(offset, path, f"a comma before {end}")
        return after

    def count(self, offset: int, path: str) -> None:
        self.entries += 1
        if self.entries > self.limits.entries:
            self.refuse(offset, path, "too-many-entries", f"more than {self.limits.entries} members and items")

    def string(self, offset: int, path: str) -> tuple[str, int]:
        try:
            value, end = scanstring(self.text, offset + 1, True)  # noqa: FBT003 — the decoder's own signature
        except JSONDecodeError as error:
            self.syntax(error.pos, path, error.msg[0].lower() + error.msg[1:].removesuffix(" at"))
        if LONE_SURROGATE.search(value):
            self.refuse(offset, path, "lone-surrogate", f"half a surrogate pair in {shown(value)}")
        return value, end

    def atom(self, offset: int, path: str) -> tuple[Any, int]:
        for word, value in _CONSTANTS.items():
            if self.text.startswith(word, offset):
                return value, offset + len(word)
        if match := _NOT_FINITE.match(self.text, offset):
            self.refuse(offset, path, "non-finite-number", f"{match[0]} is no JSON number")
        number = _NUMBER.match(self.text, offset)
        if not number:
            self.syntax(offset, path, "a value is due")
        digits = number[0]
        if len(digits) > self.limits.digits:
            self.refuse(offset, path, "number-too-long", f"a number of {len(digits)} characters")
        value = float(digits) if number[2] or number[3] else int(digits)
        if value in (float("inf"), float("-inf")):
            self.refuse(offset, path, "non-finite-number", f"{digits} is beyond the range of a double")
        return value, number.end()
