"""A table as CSV (RFC 4180, plain line ends): the only way in which rows leave as CSV. Pure.

A text that a spreadsheet would run as a formula (CWE-1236) begins with an apostrophe, which spreadsheets take as "this is text".
"""

import csv
import json
import re
from collections.abc import Iterable, Sequence

_RUNS = ("=", "+", "-", "@", "\t", "\r", "\n", "\0", "＝", "＋", "－", "＠")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_END = "\r\n"


def csv_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A header and rows of JSON values: None is nothing between two commas, a list or object its JSON."""
    lines = _Lines()
    writer = csv.writer(lines, lineterminator=_END)
    writer.writerow([_cell(name) for name in columns])
    writer.writerows([_cell(value) for value in row] for row in rows)
    return "".join(lines)


class _Lines(list[str]):
    """Lines as they are written; the writer quotes what is in its line end alone, and a bare CR ends a row for many readers."""

    def write(self, line: str) -> None:
        self.append(line.removesuffix(_END) + "\n")


def _cell(value: object) -> str:
    match value:
        case None:
            return ""
        case bool():
            return str(value).lower()
        case str():
            return f"'{value}" if value.startswith(_RUNS) and not _NUMBER.fullmatch(value) else value
        case list() | tuple() | dict():
            return json.dumps(value, ensure_ascii=False)
        case _:
            return str(value)
