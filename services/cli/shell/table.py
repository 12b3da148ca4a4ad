"""Rows under their header for a terminal: as wide as they need, and folded within their columns where that is too wide. Pure."""

import re
from collections.abc import Sequence

from cardtrail.services.cli.shell.text import cut, padded, width

_BETWEEN = 2
_WORD = re.compile(r"[^ ]+?(?:[-/.](?=[^ /.])|(?= )|$) *")
_WHOLE = re.compile("[^ ]+ *")
_LEAST = ((_WHOLE, 30), (_WORD, 12))
"""A column is at least as wide as its longest word, up to so much; where that leaves no room, as a part of one."""
_MARK = re.compile(r"([✓✗!?·]) (?=\S)")
_KEPT = "\u00a0"


def table(header: Sequence[str], rows: Sequence[Sequence[str]], columns: int) -> list[str]:
    """The lines; more columns than the terminal has room for are cut at its edge."""
    every = (header, *rows)
    sizes = [max(width(row[column]) for row in every) for column in range(len(header))]
    room = columns - _BETWEEN * (len(sizes) - 1)
    for parts, most in _LEAST if sum(sizes) > room else ():
        least = [max(_longest(row[column], parts, most) for row in every) for column in range(len(header))]
        if sum(least) <= room:
            sizes = _fitting(sizes, least, room)
            break
    return [line for row in every for line in _lines(row, sizes, columns)]


def folded(text: str, columns: int) -> list[str]:
    """The text in lines of so many columns: between words, behind hyphens, slashes and dots, only a longer one within."""
    held, lines = _MARK.sub(rf"\1{_KEPT}", text), [""]
    for word in _WORD.findall(held):
        if lines[-1] and width(lines[-1] + word.rstrip()) > columns:
            lines.append("")
        lines[-1] += word
        while width(lines[-1].rstrip()) > columns and "\x1b" not in lines[-1]:
            head = _head(lines[-1], columns)
            lines[-1:] = [head, lines[-1][len(head) :]]
    return [line.rstrip().replace(_KEPT, " ") for line in lines]


def _fitting(sizes: list[int], least: Sequence[int], room: int) -> list[int]:
    """The widest give way first, none below its least."""
    found = list(sizes)
    while sum(found) > room:
        found[max((size, column) for column, size in enumerate(found) if size > least[column])[1]] -= 1
    return found


def _longest(cell: str, parts: re.Pattern[str], most: int) -> int:
    held = _MARK.sub(rf"\1{_KEPT}", cell)
    return min(max((width(part.rstrip()) for part in parts.findall(held)), default=0), most)


def _lines(row: Sequence[str], sizes: Sequence[int], columns: int) -> list[str]:
    cells = [folded(cell, size) if width(cell) > size else [cell] for cell, size in zip(row, sizes, strict=True)]
    height = max(map(len, cells))
    parts = ([cell[line] if line < len(cell) else "" for cell in cells] for line in range(height))
    gap = " " * _BETWEEN
    return [cut(gap.join(map(padded, part, sizes)).rstrip(), columns) for part in parts]


def _head(word: str, columns: int) -> str:
    for end in range(1, len(word)):
        if width(word[: end + 1]) > columns:
            return word[:end]
    return word
