"""Where things stand in a text, what a text may cost, and how a refusal says both."""

from typing import NamedTuple

from cardtrail.events.errors import DocumentRefused


class Limits(NamedTuple):
    """What a document may cost: bytes, nesting levels, members plus list items, characters of one number."""

    size: int = 512 * 1024
    depth: int = 64
    entries: int = 20_000
    digits: int = 128


LIMITS = Limits()


Places = dict[str, int]
"""The offset in the text of each value, by JSON path."""


def place_at(text: str, offset: int) -> tuple[int, int]:
    """Line and column, from 1, of an offset; columns count code points."""
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


def refused(text: str, offset: int, code: str, message: str, path: str = "", hint: str = "") -> DocumentRefused:  # noqa: PLR0913, PLR0917 — a place has this many members
    """The refusal of what stands at an offset."""
    line, column = place_at(text, offset)
    return DocumentRefused(code, message, line=line, column=column, path=path, hint=hint)
