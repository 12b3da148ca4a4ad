"""The contract of every fold: facts in, row changes out, position beside them; nothing else is remembered.

A fold is pure. It reads and writes only `rows`; a store commits the changed rows and the position together. `now` is the
broker's time of the fact in hand: a fold never sees a clock, so rows hold instants and never an age.
"""

from collections import defaultdict
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from cardtrail.events.fact import Fact, Stored

Key = tuple[str, ...]
Row = dict[str, Any]
Line = tuple[Any, ...]
Changes = dict[tuple[str, Key], Row | None]
Place = Literal["kv", "duckdb"]


@dataclass(frozen=True)
class Table:
    """Rows of one kind. `key` names the members of a row's key, in order.

    `columns` maps member to DuckDB type and is set exactly when rows are only ever appended, each as a line in the order of its
    columns: such a table is never read by its fold, and `unique` names the column that makes a repeated line no row. `shown`
    False = the fold's own memory, for no reader.
    """

    name: str
    key: tuple[str, ...] = ()
    columns: dict[str, str] | None = None
    unique: str = ""
    shown: bool = True


class Rows:
    """The rows of one store's folds: current values plus what has changed since the last commit (None = deleted).

    Values are JSON values; lines that are only appended pass through and are not kept.
    """

    def __init__(self, rows: dict[str, dict[Key, Row]] | None = None) -> None:
        """Start from stored rows, by table and key."""
        self._rows: dict[str, dict[Key, Row]] = defaultdict(dict, rows or {})
        self.changes: Changes = {}
        self.appended: dict[str, list[Line]] = {}
        self._undo: list[tuple[tuple[str, Key], Row | None, bool]] = []
        self._added: list[list[Line]] = []
        self.weighed: tuple[int, bool] | None = None
        """Sequence of the fact in hand and whether it came late: asked by several folds, answered once."""

    def get(self, table: str, key: Key) -> Row | None:
        """The row, or None. The caller never changes it in place."""
        return self._rows[table].get(key)

    def put(self, table: str, key: Key, row: Row) -> None:
        """Set the row; setting an equal one is no change."""
        held = self._rows[table]
        old = held.get(key)
        if old != row:
            place = (table, key)
            self._undo.append((place, old, place in self.changes))
            held[key] = self.changes[place] = row

    def delete(self, table: str, key: Key) -> None:
        """Remove the row if it is there."""
        old = self._rows[table].pop(key, None)
        if old is not None:
            place = (table, key)
            self._undo.append((place, old, place in self.changes))
            self.changes[place] = None

    def append(self, table: str, line: Line) -> None:
        """Add a line that is never changed nor read back by a fold."""
        added = self.appended.get(table)
        if added is None:
            added = self.appended[table] = []
        added.append(line)
        self._added.append(added)

    def table(self, name: str) -> dict[Key, Row]:
        """All rows of a table, to read."""
        return self._rows[name]

    def taken(self) -> Changes:
        """The changes since the last call, handed over."""
        changes, self.changes = self.changes, {}
        self._undo.clear()
        return changes

    def gathered(self, table: Table) -> list[Row]:
        """What was appended to a table since the last commit, as rows."""
        return [dict(zip(table.columns or (), line, strict=True)) for line in self.appended.get(table.name, ())]

    def taken_appends(self) -> dict[str, list[Line]]:
        """The appended lines since the last call, by table, handed over."""
        appended, self.appended = self.appended, {}
        self._added.clear()
        return appended

    def handed_over(self) -> "Rows":
        """What has changed since the last commit, to be committed while these rows go on changing."""
        part = Rows()
        part._rows, part.changes, part.appended = self._rows, self.taken(), self.taken_appends()
        return part

    def mark(self) -> None:
        """Remember this moment: `undo` returns to it."""
        self._undo.clear()
        self._added.clear()
        self.weighed = None

    def undo(self) -> None:
        """Take back everything since `mark`: a fact is applied whole or not at all."""
        for place, old, was_changed in reversed(self._undo):
            held = self._rows[place[0]]
            if old is None:
                held.pop(place[1], None)
            else:
                held[place[1]] = old
            if was_changed:
                self.changes[place] = old
            else:
                self.changes.pop(place, None)
        self._undo.clear()
        while self._added:
            self._added.pop().pop()


class Fold(Protocol):
    """A projection: `apply` is called once per fact in stream order.

    A fold may name the kinds of facts that mean anything to it (`hears`, a frozenset): then others need not be shown to it.
    It may hear of what it is not shown (`held(agent, principal, sequence, since, rows)`, both as subject tokens): facts about the
    agent that cannot be applied, of which the first was stored `since`; None = they are again.
    """

    name: str

    def apply(self, stored: Stored, rows: Rows) -> None:
        """Change rows by one fact."""


class Deriver(Protocol):
    """A fold that also tells facts: the same prefix of the log gives the same facts with the same ids."""

    name: str

    def derive(self, stored: Stored, rows: Rows) -> tuple[Fact, ...]:
        """Change rows by one fact and say what follows from it."""


@dataclass(frozen=True)
class Projection:
    """A fold, where its rows are kept (each place is a store of its own with a position of its own), and its tables."""

    fold: Fold
    kept: tuple[Place, ...]
    tables: tuple[Table, ...]
