"""Rows that hold one frozen value each, as its JSON text: what a deriver remembers stays small, and typed where it is read.

The table is named after the value's class. The same text gives the same value, so parsed values are kept for a while: short ones
in number, the few that are long beside them, 64 MiB of text at most. What an agent may fill is bounded in bytes, not in entries.
"""

from collections.abc import Mapping
from functools import cache, lru_cache
from typing import TypeVar

from cardtrail.events.model.value import Value
from cardtrail.projections.projection import Key, Row, Rows

Kept = TypeVar("Kept", bound=Value)
_SHORT, _SHORT_ONES, _LONG_ONES = 8 << 10, 4_096, 32
"""Characters, and how many values; none is longer than a message of the broker, 1 MiB."""


def load(rows: Rows, kind: type[Kept], key: Key) -> Kept | None:
    """The value under a key, or None."""
    return read(kind, rows.get(table(kind), key))


def read(kind: type[Kept], row: Row | None) -> Kept | None:
    """The value in a row of its table, wherever the row was read."""
    if row is None:
        return None
    parsed = _short if len(row["value"]) <= _SHORT else _long
    value: Kept = parsed(kind, row["value"])
    return value


def save(rows: Rows, key: Key, value: Value) -> None:
    """Keep a value; an equal one is no change."""
    rows.put(table(type(value)), key, {"value": value.model_dump_json(exclude_defaults=True)})


def drop(rows: Rows, kind: type[Value], key: Key) -> None:
    """Forget a value."""
    rows.delete(table(kind), key)


def keys(rows: Rows, kind: type[Value]) -> Mapping[Key, object]:
    """The keys under which there is a value."""
    return rows.table(table(kind))


@cache
def table(kind: type[Value]) -> str:
    """The table that holds the values of a class."""
    return kind.__name__.lower()


@lru_cache(maxsize=_SHORT_ONES)
def _short(kind: type[Kept], text: str) -> Kept:
    return kind.model_validate_json(text)


@lru_cache(maxsize=_LONG_ONES)
def _long(kind: type[Kept], text: str) -> Kept:
    return kind.model_validate_json(text)
