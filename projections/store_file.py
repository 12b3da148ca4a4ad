"""One DuckDB file: rows and position in one transaction, so that no fact is counted twice and none is lost.

Keyed rows lie as JSON in `kept`; appended rows in typed tables of their own. All of the schema is made when the file is made and
never altered: a file of another schema is rebuilt from the log.
"""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import duckdb

from cardtrail.events.canonical import raw_digest
from cardtrail.projections.projection import Changes, Key, Line, Row, Table
from cardtrail.projections.store_arrow import stream
from cardtrail.projections.store_errors import StoreAway, foreign

_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "wal_autocheckpoint": "128MiB",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}
"""Each checkpoint writes the whole unique index again: at DuckDB's 16 MiB that is half of the time a million facts take."""
MEMORY_MB = 192
_FETCHED = 10_000
_text = json.JSONEncoder(ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")).encode
_BASE = (
    "CREATE TABLE position (through UBIGINT NOT NULL)",
    "CREATE TABLE meta (schema VARCHAR NOT NULL)",
    "CREATE TABLE kept (name VARCHAR, key VARCHAR, value VARCHAR NOT NULL, PRIMARY KEY (name, key))",
    "INSERT INTO position VALUES (0)",
)
_KEPT = {"name": "VARCHAR", "key": "VARCHAR", "value": "VARCHAR"}
_UPSERT = "INSERT INTO kept FROM incoming ON CONFLICT DO UPDATE SET value = excluded.value"
_DELETE = "DELETE FROM kept USING incoming gone WHERE kept.name = gone.name AND kept.key = gone.key"


class StoreFile:
    """An open file. Not for two threads at once."""

    def __init__(self, path: Path, tables: Iterable[Table], *, memory_mb: int = MEMORY_MB) -> None:
        """Open the file or make it; `memory_mb` bounds DuckDB's own buffers, in MiB.

        Raises:
            StoreAway: `store-locked` (another process has it), `store-failed`, or `store-schema` (made by another release).
        """
        self.path = path
        self._appended = {table.name: table for table in tables if table.columns is not None}
        self._schema = (*_BASE, *(_create(table) for table in self._appended.values()))
        self.schema = raw_digest("\n".join(self._schema).encode())
        with foreign():
            self._db = duckdb.connect(str(path), config=_CONFIG | {"memory_limit": f"{memory_mb}MiB"})
            try:
                self._ensure()
            except (StoreAway, duckdb.Error):
                self._db.close()
                raise

    def load(self) -> tuple[dict[str, dict[Key, Row]], int]:
        """The keyed rows by table and key, and the position."""
        rows: dict[str, dict[Key, Row]] = {}
        with foreign():
            for name, key, value in _read(self._db, "SELECT name, key, value FROM kept"):
                rows.setdefault(name, {})[tuple(json.loads(key))] = json.loads(value)
            return rows, self.position()

    def position(self) -> int:
        """The stream sequence of the last fact in the rows."""
        with foreign():
            return int(self._db.execute("SELECT through FROM position").fetchall()[0][0])

    def write(self, changes: Changes, appended: dict[str, list[Line]], position: int) -> None:
        """All of it or nothing.

        Raises:
            StoreAway: nothing was written, or it is not known whether it was: load anew.
        """
        with foreign():
            self._db.begin()
            try:
                self._write(changes, appended)
                self._db.execute("UPDATE position SET through = ?", [position])
                self._db.commit()
            except (duckdb.Error, StoreAway):
                self._roll_back()
                raise

    def checkpoint(self) -> None:
        """Everything into the main file, nothing left in the WAL beside it."""
        with foreign():
            self._db.execute("CHECKPOINT")

    def lines(self) -> Iterator[bytes]:
        """Everything in a fixed order, one JSON line a row: equal stores give equal bytes."""
        with foreign():
            yield b'{"through":%d}\n' % self.position()
            yield from lines_of(self._db, sorted(self._appended))

    def close(self) -> None:
        """Close it; DuckDB checkpoints when the last connection of the process goes."""
        with foreign():
            self._db.close()

    def _ensure(self) -> None:
        known = self._db.execute("SELECT count(*) FROM duckdb_tables() WHERE table_name = 'meta'").fetchall()[0][0]
        if known:
            made = self._db.execute("SELECT schema FROM meta").fetchall()
            if made != [(self.schema,)]:
                raise StoreAway("store-schema", "the store was made by a release with another schema")
            return
        self._db.begin()
        for statement in self._schema:
            self._db.execute(statement)
        self._db.execute("INSERT INTO meta VALUES (?)", [self.schema])
        self._db.commit()
        self._db.execute("CHECKPOINT")  # no schema change is ever replayed from a WAL

    def _write(self, changes: Changes, appended: dict[str, list[Line]]) -> None:
        for name, lines in appended.items():
            table = self._appended[name]
            self._pour(table.columns or {}, lines, _insert(table))
        kept = [(name, _text(list(key)), row and _text(row)) for (name, key), row in changes.items()]
        self._pour(_KEPT, [line for line in kept if line[2]], _UPSERT)
        self._pour(_KEPT, [line for line in kept if line[2] is None], _DELETE)

    def _pour(self, columns: dict[str, str], lines: list[Line], statement: str) -> None:
        """Run a statement over lines, which it knows as the table `incoming`."""
        if not lines:
            return
        self._db.register("incoming", stream(columns, lines))
        try:
            self._db.execute(statement)
        finally:
            self._db.unregister("incoming")

    def _roll_back(self) -> None:
        try:
            self._db.rollback()
        except duckdb.Error:  # the connection itself is gone: the next load opens anew
            return


def lines_of(database: duckdb.DuckDBPyConnection, appended: Iterable[str]) -> Iterator[bytes]:
    """Every row of a store in a fixed order, one JSON line a row: the kept ones, then those of each appended table."""
    for name, key, value in _read(database, "SELECT name, key, value FROM kept ORDER BY name, key"):
        yield f"[{json.dumps(name)},{key},{value}]\n".encode()
    for table in appended:
        for row in _read(database, f"SELECT * FROM {table} ORDER BY ALL"):  # noqa: S608 — our own table's name
            yield (json.dumps([table, *row], ensure_ascii=False, default=str) + "\n").encode()


def _read(database: duckdb.DuckDBPyConnection, query: str) -> Iterator[tuple[Any, ...]]:
    cursor = database.execute(query)
    while batch := cursor.fetchmany(_FETCHED):
        yield from batch


def _create(table: Table) -> str:
    columns = (f'"{name}" {kind}' for name, kind in (table.columns or {}).items())
    unique = (f'UNIQUE ("{table.unique}")',) if table.unique else ()
    return f"CREATE TABLE {table.name} ({', '.join((*columns, *unique))})"


def _insert(table: Table) -> str:
    typed = ", ".join(f'"{name}"::{kind}' for name, kind in (table.columns or {}).items())
    once = " ON CONFLICT DO NOTHING" if table.unique else ""
    return f"INSERT INTO {table.name} SELECT {typed} FROM incoming{once}"  # noqa: S608 — our own names
