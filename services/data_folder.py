"""The folder that everything of a tracker lies in, tried before anything is started: can it be written, is there room?"""

import contextlib
import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from cardtrail.events.errors import UsageError
from cardtrail.services.settings import BrokerSettings

LEAST_FRESH = 16 << 20
"""Bytes that must be free where a log is to begin: the broker reserves its streams' limits and wants a quarter beside them."""
LEAST_KEPT = 1 << 20
"""Bytes that must be free where a log lies already: what was told can be read, and an outbox can still open."""

_HINT = "make room there, or name another folder: CARDTRAIL_DATA=FOLDER, or data under [broker] in cardtrail.toml"
_TRIAL = 64 << 10
_AUDIT = "audit"
_ROOM_FOR = (9, 5)
"""The limits of the streams together take five ninths of the bytes that are said to be free (`bus.streams.sizes_for`)."""


def prepare(broker: BrokerSettings, environment: Mapping[str, str]) -> int:
    """Make the folder and write in it; how many bytes are free there, as far as the settings let the log have them.

    Raises:
        UsageError: `data-unwritable`, `disk-full`.
    """
    folder = broker.data
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _try(folder / f".trial.{os.getpid()}")
        free = shutil.disk_usage(folder).free
        fresh = not (environment.get("NATS_URL") or broker.url or (folder / "nats" / "jetstream").is_dir())
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(
            "data-unwritable", f"the data folder cannot be written: {reason}", hint=_HINT, file=str(folder)
        ) from error
    least = LEAST_FRESH if fresh else LEAST_KEPT
    if free < least:
        said = f"{_kib(free)} are free for the log and what is known from it, at least {_kib(least)} are needed"
        raise UsageError("disk-full", said, hint=_HINT, file=str(folder))
    return min(free, broker.max_bytes * _ROOM_FOR[0] // _ROOM_FOR[1]) if broker.max_bytes else free


@contextlib.contextmanager
def audited(folder: Path, *, audit: bool) -> Iterator[None]:
    """While a log is served for an audit its folder says so; one that is at work says so by silence."""
    mark = folder / _AUDIT
    mark.unlink(missing_ok=True)
    if audit:
        mark.touch()
    try:
        yield
    finally:
        mark.unlink(missing_ok=True)


def is_audited(folder: Path) -> bool:
    """Whether the log in this folder is served for an audit: nothing is fetched, decided or told."""
    return (folder / _AUDIT).exists()


def _try(file: Path) -> None:
    try:
        with file.open("wb") as opened:
            opened.write(bytes(_TRIAL))
            opened.flush()
            os.fsync(opened.fileno())
    finally:
        file.unlink(missing_ok=True)


def _kib(size: int) -> str:
    return f"{size >> 20} MiB" if size >= 1 << 20 else f"{size >> 10} KiB"
