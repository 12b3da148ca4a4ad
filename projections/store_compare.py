"""Two stores of one log side by side: the first row in which they differ, read only and row by row."""

import json
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from pathlib import Path

import duckdb

from cardtrail.projections.projection import Table
from cardtrail.projections.store_errors import foreign
from cardtrail.projections.store_file import lines_of

_KEY = 3
_SHOWN = 200


def first_difference(one: Path, other: Path, tables: Iterable[Table]) -> str:
    """Table and key, or table and row, of the first line that is not in both, "" where they are equal but for their position.

    Raises:
        StoreAway: one of them cannot be read.
    """
    appended = sorted(table.name for table in tables if table.columns is not None)
    for left, right in zip_longest(_lines(one, appended), _lines(other, appended)):
        if left != right:
            return _named(min(line for line in (left, right) if line is not None))
    return ""


def _lines(path: Path, appended: list[str]) -> Iterator[bytes]:
    with foreign(), duckdb.connect(str(path), read_only=True) as database:
        yield from lines_of(database, appended)


def _named(line: bytes) -> str:
    """`lockfile_status public / trip / pricing`; for an appended row its table and its first columns."""
    name, *rest = json.loads(line)
    parts = rest[0] if isinstance(rest[0], list) else rest[:_KEY]
    return f"{name} {' / '.join(map(str, parts))}"[:_SHOWN]
