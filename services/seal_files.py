"""The sealer's files: a record of 40 bytes a leaf, a signed head a file; both are only ever added to."""

import fcntl
import os
import struct
from collections.abc import Iterable, Iterator
from pathlib import Path

from cardtrail.events.errors import UsageError
from cardtrail.services.bus.errors import StoreInUse
from cardtrail.services.ledger.note import Signer, Verifier, read_signer, read_verifier

_RECORD = struct.Struct(">Q32s")
_AT_ONCE = _RECORD.size * 8_192
SEALER = "seal"
"""The name of what signs, among the folds of the projector's health answer."""
SUFFIX = ".checkpoint"
LEAVES = "leaves"


def leaves(folder: Path) -> Iterator[tuple[int, bytes]]:
    """Sequence and leaf hash of every recorded leaf; nothing where there is no record, a torn last one is passed over."""
    path = folder / LEAVES
    if not path.exists():
        return
    with path.open("rb") as file:
        while data := file.read(_AT_ONCE):
            whole = len(data) - len(data) % _RECORD.size
            yield from _RECORD.iter_unpack(data[:whole])


def heads(folder: Path) -> Iterator[tuple[str, str]]:
    """Name and note of every signed head in a folder, or of the one file that is named, oldest first."""
    files = sorted(folder.glob(f"*{SUFFIX}")) if folder.is_dir() else [folder]
    for file in files:
        try:
            yield file.name, file.read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError("file-unreadable", "no checkpoint can be read", file=str(file)) from error


class Record:
    """The record, open to add to."""

    def __init__(self, folder: Path) -> None:
        """Made where it is missing; a record that was torn by a crash is cut off.

        Raises:
            StoreInUse: another process adds to it.
        """
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._folder, path = folder, folder / LEAVES
        self._file = path.open("ab")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self._file.close()
            raise StoreInUse("store-in-use", f"the record {path} cannot be had alone: {error.strerror}") from error
        size = path.stat().st_size
        self._file.truncate(size - size % _RECORD.size)

    def add(self, more: Iterable[tuple[int, bytes]]) -> None:
        """Add leaves, on disk when it returns."""
        self._file.write(b"".join(_RECORD.pack(*leaf) for leaf in more))
        self._file.flush()
        os.fsync(self._file.fileno())

    def keep(self, size: int, note: str) -> None:
        """Keep a signed head, whole or not at all; its name says how many leaves it covers."""
        place = self._folder / f"{size:012}{SUFFIX}"
        growing = place.with_suffix(".growing")
        with growing.open("w", encoding="utf-8") as file:
            file.write(note)
            file.flush()
            os.fsync(file.fileno())  # a name without its bytes after a power cut would be no head at all
        growing.replace(place)

    def close(self) -> None:
        """Close it."""
        self._file.close()


def signing_key(path: Path) -> Signer:
    """The key in a file.

    Raises:
        UsageError: `file-unreadable`, `key-unfit`.
    """
    return read_signer(_text(path))


def verifier_key(given: str) -> Verifier:
    """A verifier key as it is, or in a file; of a signing key's file, its public half. Raises as `signing_key`."""
    return read_verifier(given if "+" in given and not Path(given).exists() else _text(Path(given)))


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError("file-unreadable", "no key can be read", file=str(path)) from error
