"""Questions to a snapshot, in the reader's own process: read only, bounded in time and rows, no file or network within reach."""

import os
import re
import shutil
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import gettempdir
from typing import Any, Self

import duckdb

from cardtrail.events.fact import Stored
from cardtrail.events.upcast import decode
from cardtrail.projections.store_errors import Damaged, QueryRefused, foreign, is_damage, refused, too_long

_SPILLED = "2GiB"
_CLOSED = (
    "SET TimeZone = 'UTC'",
    "SET enable_external_access = false",
    "SET lock_configuration = true",
)
_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "max_temp_directory_size": _SPILLED,
}
_READS = frozenset(
    (
        *(duckdb.StatementType.SELECT, duckdb.StatementType.MULTI, duckdb.StatementType.SET),
        *(duckdb.StatementType.CREATE, duckdb.StatementType.INSERT),
    )
)
"""What may be asked (`MULTI` is a pivot). Tables are made in memory alone; whoever could detach the snapshot and attach it again
could write to it, for an attached file counts as allowed."""
_EXPLAINED = re.compile(r"\s*EXPLAIN\b(?:\s+ANALYZE\b)?(?:\s*\([^)]*\))?", re.IGNORECASE)
_FETCHED = 5_000
Values = Sequence[object] | dict[str, object]
_AGAIN_S = 0.02


@dataclass(frozen=True)
class Answer:
    """Column names, their DuckDB types, and rows of one query; `more` says that rows beyond the limit were left out."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    more: bool
    types: tuple[str, ...] = ()


class Reader:
    """One snapshot, open for reading; not for two threads at once."""

    def __init__(self, path: Path, *, memory_mb: int = 512, target: Path | None = None) -> None:
        """`path` as `newest` gives it; `memory_mb` bounds what a query may take, in MiB; `target` is a file it may write.

        Raises:
            StoreAway: `store-failed`.
        """
        self._target = target
        self._spill = Path(gettempdir(), f"cardtrail-{os.getpid()}-{id(self)}")
        with foreign():
            config = _CONFIG | {"memory_limit": f"{memory_mb}MiB", "temp_directory": str(self._spill)}
            self._db = duckdb.connect(config=config)  # its own instance: two of one file would share settings
            for statement in (
                f"ATTACH {_quoted(path)} AS archive (READ_ONLY)",
                "USE archive",
                f"SET allowed_paths = [{_quoted(target) if target else ''}]",
                *_CLOSED,
            ):
                self._db.execute(statement)

    def __enter__(self) -> Self:
        """Open until the block ends."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self._db.close()
        shutil.rmtree(self._spill, ignore_errors=True)

    def abandon(self) -> None:
        """Remove what it has written beside the snapshot, where this process ends in the middle of a question."""
        shutil.rmtree(self._spill, ignore_errors=True)
        with suppress(OSError):
            (self._target or self._spill).unlink()

    def query(self, sql: str, values: Values = (), *, rows: int = 10_000, seconds: float = 60.0) -> Answer:
        """The answer to one SQL text, at most `rows` rows, within `seconds`; values by place (`?`) or name (`$name`).

        Raises:
            QueryRefused: `query-refused` (what DuckDB says, in one line), `query-too-long` or `query-too-large`.
        """
        with self._bounded(seconds):
            for statement in duckdb.extract_statements(sql):
                _only_reads(statement)
            cursor = self._db.execute(sql, values)
            found = cursor.fetchmany(rows + 1)
            described = cursor.description or ()
        names, types = (tuple(str(column[place]) for column in described) for place in (0, 1))
        return Answer(names, tuple(found[:rows]), len(found) > rows, types)

    def stream(self, sql: str) -> Iterator[tuple[Any, ...]]:
        """The rows of a query of our own, however many; memory stays flat."""
        with foreign():
            cursor = self._beside().execute(sql)
            while batch := cursor.fetchmany(_FETCHED):
                yield from batch

    def write(self, sql: str, *, seconds: float = 60.0) -> int:
        """All rows of one SELECT as Parquet into the reader's `target`; how many. Statements before it may set variables.

        Raises:
            QueryRefused: as `query`; also a text that does not end in a SELECT.
        """
        with self._bounded(seconds):
            statements = duckdb.extract_statements(sql)
            if self._target is None or not statements or statements[-1].type != duckdb.StatementType.SELECT:
                raise QueryRefused("query-refused", "only the rows of a SELECT can be written as Parquet")
            for statement in statements[:-1]:
                _only_reads(statement)
                self._db.execute(statement)
            asked = statements[-1].query.strip().rstrip(";")
            copied = self._db.execute(f"COPY ({asked}\n) TO {_quoted(self._target)} (FORMAT parquet, COMPRESSION zstd)")
            return int(copied.fetchall()[0][0])

    def _beside(self) -> duckdb.DuckDBPyConnection:
        """A cursor of its own, so that another question may be asked before this one has told all its rows."""
        return self._db.cursor().execute("USE archive")

    @contextmanager
    def _bounded(self, seconds: float) -> Iterator[None]:
        late, done = threading.Event(), threading.Event()

        def watch() -> None:
            if done.wait(seconds):
                return
            late.set()
            while not done.wait(_AGAIN_S):  # one that comes between two statements is lost
                self._db.interrupt()

        watching = threading.Thread(target=watch, daemon=True)
        watching.start()
        try:
            yield
        except duckdb.Error as error:
            if late.is_set():
                raise too_long(seconds) from error
            if is_damage(error):
                raise Damaged("store-failed", "the snapshot is damaged") from error
            raise refused(error) from error
        except MemoryError as error:
            raise refused(duckdb.OutOfMemoryException()) from error
        except (ValueError, OverflowError) as error:
            hint = "cast it: column::VARCHAR"
            raise QueryRefused("query-refused", f"a value cannot be shown: {error}"[:500], hint=hint) from error
        finally:
            done.set()
            watching.join()

    @property
    def through(self) -> int:
        """The stream sequence of the last fact in this snapshot."""
        with foreign():
            return int(self._db.execute("SELECT through FROM position").fetchall()[0][0])

    @property
    def ended(self) -> datetime | None:
        """When the broker stored the last fact: the only clock that is read here. None in an empty log."""
        with foreign():
            (found,) = self._db.execute("SELECT ended FROM log").fetchall()
        return found[0].replace(tzinfo=UTC) if found[0] else None

    def count_from(self, at: datetime) -> None:
        """What views count is counted from this instant on (the session variable `since`)."""
        with foreign():
            self._db.execute(f"SET VARIABLE since = TIMESTAMP '{at.astimezone(UTC).replace(tzinfo=None)}'")

    def known_at(self, at: datetime) -> int | None:
        """The last sequence known at this instant: the last before any fact stored later. None = unknown before.

        The broker's clock may step back: what counts is the latest stored time up to each fact.
        """
        query = (
            "SELECT max(sequence) FROM history WHERE sequence < "
            "(SELECT coalesce(min(sequence), 18446744073709551615) FROM history WHERE stored_at > ?)"
        )
        with foreign():
            (found,) = self._db.execute(query, [at.astimezone(UTC).replace(tzinfo=None)]).fetchall()
        return found[0] if found[0] is None else int(found[0])

    def first(self) -> int | None:
        """The first sequence of the history; above 1, what came before is not known here."""
        with foreign():
            (found,) = self._db.execute("SELECT min(sequence) FROM history").fetchall()
        return found[0] if found[0] is None else int(found[0])

    def facts(self, agent: str | None = None, *, after: int = 0, through: int | None = None) -> Iterator[Stored]:
        """Facts in order, of one agent or of all, with sequence above `after` up to `through`; those of no agent included."""
        query = (
            "SELECT sequence, stored_at, event FROM history WHERE sequence > $1 AND ($2 IS NULL OR sequence <= $2) "
            "AND ($3 IS NULL OR agent IN ($3, '')) ORDER BY sequence"
        )
        with foreign():
            cursor = self._beside().execute(query, [after, through, agent])
            while batch := cursor.fetchmany(_FETCHED):
                for sequence, stored_at, event in batch:
                    raw = event.encode()
                    yield Stored(sequence=sequence, stored_at=stored_at.replace(tzinfo=UTC), fact=decode(raw), raw=raw)


def _only_reads(statement: duckdb.Statement) -> None:
    """Refuse a statement that does more than ask; what is explained may be run, so it counts as itself."""
    if statement.type == duckdb.StatementType.EXPLAIN:
        for explained in duckdb.extract_statements(_EXPLAINED.sub("", statement.query, count=1)):
            _only_reads(explained)
    elif statement.type not in _READS:
        what = statement.type.name.lower().replace("_", " ")
        hint = "SELECT, EXPLAIN, SET VARIABLE, and tables made in memory (CREATE TEMP TABLE)"
        raise QueryRefused("query-refused", f"{what} statements are not for an archive that is only read", hint=hint)


def _quoted(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"
