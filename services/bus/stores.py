"""Where a fold's rows and its position are kept together; the contract, and the simplest store that keeps it."""

from typing import Any, Protocol

from cardtrail.projections.projection import Key, Line, Row, Rows


class Store(Protocol):
    """Rows and position, read together and written together: both or neither.

    `commit` raises `Unreachable` when it may be tried again (the runner then loads anew), anything else when it may not.
    """

    async def load(self) -> tuple[Rows, int]:
        """All rows a fold may read, and the stream sequence of the last fact in them, 0 when empty."""

    async def commit(self, rows: Rows, position: int) -> None:
        """Write what was changed and appended in `rows` since the last commit, and the position, in one step."""


class MemoryStore:
    """Rows in memory, gone with the process: for tests, what-if and rebuilds."""

    def __init__(self) -> None:
        """Empty, at position 0."""
        self.tables: dict[str, dict[Key, Row]] = {}
        self.appended: dict[str, list[Line]] = {}
        self.position = 0

    async def load(self) -> tuple[Rows, int]:
        """A copy of the tables (rows are shared: nobody changes one in place) and the position."""
        return Rows({name: dict(rows) for name, rows in self.tables.items()}), self.position

    async def commit(self, rows: Rows, position: int) -> None:
        """See `Store`."""
        for (table, key), row in rows.taken().items():
            held = self.tables.setdefault(table, {})
            if row is None:
                held.pop(key, None)
            else:
                held[key] = row
        for table, more in rows.taken_appends().items():
            self.appended.setdefault(table, []).extend(more)
        self.position = position

    def dump(self) -> dict[str, Any]:
        """Every row in a fixed order, to compare two stores."""
        return {name: dict(sorted(rows.items())) for name, rows in sorted(self.tables.items()) if rows}
