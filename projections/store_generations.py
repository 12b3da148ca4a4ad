"""Generations of the store as files: `current` names the one in force; a new one grows beside it and is swapped in whole.

Nobody opens a file without its claim, a lock on a file beside it that dies with its process (on a network file system it may not
hold: keep the folder on a local disk). What a child cannot read from end to end is set aside under `quarantine`, and the next
generation grows from the log. Readers see only generations that had caught up. A `current` that names no generation is none.
"""

import errno
import fcntl
import os
import re
import threading
from pathlib import Path

from cardtrail.projections.store_child import in_child
from cardtrail.projections.store_errors import StoreAway

CURRENT = "current"
QUARANTINE = "quarantine"
_NAME = "generation-{:06}.duckdb"
_PATTERN = "generation-*.duckdb"
_GENERATION = re.compile(rb"generation-([0-9]{6,18})\.duckdb\s*")
_LONGEST = 200
LOCKED, MACHINE = 4, 5


class Claim:
    """The right to open one file, held until released or until the process ends."""

    def __init__(self, path: Path) -> None:
        """Take it.

        Raises:
            StoreAway: `store-locked`: somebody else has it; `store-failed`: this folder takes no locks.
        """
        try:
            self._descriptor = os.open(path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise StoreAway("store-failed", f"{path.parent} cannot be written: {error.strerror}") from error
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(self._descriptor)
            raise _refused(path, error) from error

    def release(self) -> None:
        """Give it up."""
        os.close(self._descriptor)


def _refused(path: Path, error: OSError) -> StoreAway:
    if error.errno in {errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES}:
        hint = "stop the other one first; a rebuild and a live run never share a generation"
        return StoreAway("store-locked", f"another owner has {path.name} open", hint=hint)
    hint = "keep the data on a local disk: a network file system may not lock files"
    return StoreAway("store-failed", f"{path.parent} takes no locks: {error.strerror}", hint=hint)


class Generations:
    """The folder of one store."""

    def __init__(self, home: Path) -> None:
        """Made when it is missing.

        Raises:
            StoreAway: `store-failed`.
        """
        self.home = home
        try:
            home.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreAway("store-failed", f"{home} cannot be made: {error.strerror}") from error

    def current(self) -> Path | None:
        """The file in force; None before the first one has caught up, or where it is gone."""
        name = pointed(self.home / CURRENT, _GENERATION)
        return self.home / name if name and (self.home / name).exists() else None

    def next(self) -> Path:
        """Where a new generation grows; one left unfinished is taken up again, unless nothing says which was in force."""
        pointer = self.home / CURRENT
        name = pointed(pointer, _GENERATION)
        if name:
            return self.home / _NAME.format(_number(Path(name)) + 1)
        numbers = [_number(file) for file in self.home.glob(_PATTERN)] if pointer.exists() else []
        return self.home / _NAME.format(max(numbers, default=0) + 1)

    def problem(self, path: Path, closing: threading.Event | None = None) -> str:
        """Why the file cannot be read from end to end, "" where it can: asked of a child, which may abort.

        Raises:
            StoreAway: `store-locked`: a process without claim has it open; `store-failed`: it took too long, or not the file
                but the machine is at fault: no memory, no room, no leave.
        """
        if not path.exists():
            return ""
        done = in_child("cardtrail.projections.store_check", [str(path)], closing)
        if done.status == LOCKED:
            raise StoreAway("store-locked", f"another process has {path.name} open")
        if done.status == MACHINE:
            raise StoreAway("store-failed", f"{path.name} cannot be read now: {done.said[-300:]}")
        return (done.said or f"its reader ended with {done.status}") if done.status else ""

    def set_aside(self, path: Path, reason: str) -> None:
        """Move the file with its WAL out of the way, the reason beside it; an older one of that name gives way."""
        quarantine = self.home / QUARANTINE
        quarantine.mkdir(exist_ok=True)
        for file in (path, wal(path)):
            if file.exists():
                file.replace(quarantine / file.name)
        (quarantine / f"{path.name}.reason").write_text(reason + "\n", "utf-8")

    def promote(self, path: Path) -> None:
        """Make this the current generation and remove the older ones."""
        written = self.home / f"{CURRENT}.new"
        written.write_text(path.name + "\n", "utf-8")
        written.replace(self.home / CURRENT)
        for older in self.home.glob(_PATTERN):
            if _number(older) < _number(path):
                for file in (older, wal(older), older.with_suffix(".lock")):
                    file.unlink(missing_ok=True)


def wal(path: Path) -> Path:
    """The write-ahead log that DuckDB keeps beside a file."""
    return path.with_name(path.name + ".wal")


def pointed(pointer: Path, pattern: re.Pattern[bytes]) -> str:
    """The file name that stands in a pointer, "" where there is none or what stands there is no such name."""
    try:
        with pointer.open("rb") as file:
            held = file.read(_LONGEST)
    except OSError:
        return ""
    return held.decode("ascii").strip() if pattern.fullmatch(held) else ""


def _number(path: Path) -> int:
    match = _GENERATION.fullmatch(path.name.encode())
    return int(match[1]) if match else 0
