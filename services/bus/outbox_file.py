"""Messages in a sqlite file, in order; used from worker threads, one at a time.

sqlite3 from the standard library, because it survives kill -9, a torn write and a full disk without code of ours.
"""

import contextlib
import itertools
import json
import logging
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

from cardtrail.events.errors import CardtrailError
from cardtrail.services.bus.publish import Message

log = logging.getLogger("cardtrail.bus")
_DAMAGE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR)
_TABLE = "CREATE TABLE IF NOT EXISTS waiting (place INTEGER PRIMARY KEY AUTOINCREMENT, subject TEXT, data BLOB, headers TEXT)"


class OutboxFailed(CardtrailError):
    """Nothing more can be kept: at the limit or the disk is full (`outbox-full`), or no file can be opened (`outbox-broken`)."""


class OutboxFile:
    """`path` is the sqlite file, `<path>.refused.jsonl` beside it holds what was refused for ever; `max_bytes` may wait.

    A damaged file is moved to `<path>.damaged-<number>` with a line in the side file, and an empty one begun: what still waited
    there is for a person to read, and what happens from now on is not lost as well.
    """

    def __init__(self, path: Path, max_bytes: int) -> None:
        """Opens or creates the file.

        Raises:
            OutboxFailed: it cannot be.
        """
        self.path, self._max_bytes = path, max_bytes
        self.refused = path.with_name(path.name + ".refused.jsonl")
        self._lock = threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                self._db = _opened(path)
            except _Damaged as damage:
                self._quarantine(str(damage))
                self._db = _opened(path)
        except (sqlite3.DatabaseError, OSError) as error:
            raise OutboxFailed("outbox-broken", f"the outbox {path} cannot be opened: {error}") from error

    def _quarantine(self, why: str) -> None:
        places = (self.path.with_name(f"{self.path.name}.damaged-{number}") for number in itertools.count(1))
        aside = next(place for place in places if not place.exists())
        for suffix in ("", "-wal", "-shm"):
            with contextlib.suppress(FileNotFoundError):
                self.path.with_name(self.path.name + suffix).rename(aside.with_name(aside.name + suffix))
        log.critical("the outbox %s is damaged (%s): set aside as %s", self.path, why, aside.name)
        self._aside({"code": "outbox-broken", "message": f"{why}: what waited lies in {aside.name}"})

    def close(self) -> None:
        """What is in the file stays."""
        with self._lock:
            self._db.close()

    @contextlib.contextmanager
    def _using(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                yield self._db
            except sqlite3.Error as error:
                with contextlib.suppress(sqlite3.ProgrammingError):  # closed while somebody asked
                    if self._db.in_transaction:
                        self._db.execute("ROLLBACK")
                raise OutboxFailed("outbox-full", f"the outbox {self.path} cannot be used: {error}") from error

    def waiting(self) -> int:
        """How many messages are in the file."""
        with self._using() as db:
            return int(db.execute("SELECT count(*) FROM waiting").fetchone()[0])

    def keep(self, messages: list[Message]) -> None:
        """Write all of them durably, or none.

        Raises:
            OutboxFailed: the limit is reached or the disk is full.
        """
        rows = [(message.subject, message.data, json.dumps(message.headers)) for message in messages]
        if self.path.stat().st_size > self._max_bytes:
            raise OutboxFailed("outbox-full", f"{self._max_bytes} bytes wait in {self.path} already")
        with self._using() as db:
            db.execute("BEGIN IMMEDIATE")
            db.executemany("INSERT INTO waiting (subject, data, headers) VALUES (?, ?, ?)", rows)
            db.execute("COMMIT")

    def head(self, most: int) -> list[tuple[int, Message]]:
        """The oldest messages with their places."""
        with self._using() as db:
            rows = db.execute("SELECT place, subject, data, headers FROM waiting ORDER BY place LIMIT ?", (most,))
            return [(row[0], Message(subject=row[1], data=row[2], headers=json.loads(row[3]))) for row in rows]

    def remove(self, through: int) -> None:
        """Forget everything up to and with this place."""
        with self._using() as db:
            db.execute("DELETE FROM waiting WHERE place <= ?", (through,))

    def set_aside(self, message: Message, refusal: CardtrailError) -> None:
        """Write a message that no retry will save to the side file."""
        line = {
            "code": refusal.code,
            "message": refusal.message,
            "subject": message.subject,
            "data": message.data.hex(),
        }
        self._aside(line)

    def _aside(self, line: dict[str, str]) -> None:
        with self.refused.open("a") as file:
            file.write(json.dumps(line) + "\n")

    def count_refused(self) -> int:
        """How many lines the side file has."""
        return self.refused.read_bytes().count(b"\n") if self.refused.exists() else 0


class _Damaged(sqlite3.DatabaseError):
    """The file is there and cannot be read from end to end."""


def _opened(path: Path) -> sqlite3.Connection:
    """The file, ready and found whole; a full disk, a lock or a missing right is an error of another class."""
    database = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
    try:
        database.executescript(f"PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; {_TABLE};")
        database.execute("SELECT place, subject, data, headers FROM waiting LIMIT 0")
        found = str(database.execute("PRAGMA quick_check(1)").fetchone()[0])
        if found != "ok":
            raise _Damaged(found)
    except sqlite3.DatabaseError as error:
        database.close()
        if (
            getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGE
        ):  # the low byte is the kind, above it stands the detail
            raise _Damaged(str(error)) from error
        raise
    return database
