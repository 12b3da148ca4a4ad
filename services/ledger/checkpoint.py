"""A signed head of the log (C2SP tlog-checkpoint): whose log, how many leaves, their root, and the sequence of the last one."""

import base64
import binascii
import re
from collections.abc import Iterable
from typing import NamedTuple

from cardtrail.events.errors import InputRefused
from cardtrail.services.ledger.merkle import HASH_BYTES
from cardtrail.services.ledger.note import Signer, Verifier, opened

_THROUGH = re.compile(r"through (\d{1,20})")
_NUMBER = re.compile(r"0|[1-9]\d{0,18}")
_LINES = 3


class Checkpoint(NamedTuple):
    """`size` leaves up to stream sequence `through` have this root."""

    origin: str
    size: int
    root: bytes
    through: int

    def text(self) -> str:
        """The text that is signed."""
        return f"{self.origin}\n{self.size}\n{base64.b64encode(self.root).decode()}\nthrough {self.through}\n"

    def signed(self, key: Signer) -> str:
        """The note; the log's origin is the key's name."""
        return key.sign(self.text())


def read_checkpoint(note: str, keys: Iterable[Verifier]) -> tuple[Checkpoint, tuple[Verifier, ...]]:
    """The checkpoint in a note, and which of the keys signed it.

    Raises:
        InputRefused: `note-unreadable`, `note-forged`.
    """
    text, signed = opened(note, keys)
    lines = text.split("\n")[:-1]
    if len(lines) < _LINES or not lines[0] or not _NUMBER.fullmatch(lines[1]):
        raise InputRefused("note-unreadable", "no checkpoint: origin, size, root, each on a line")
    try:
        root = base64.b64decode(lines[2], validate=True)
    except (binascii.Error, ValueError):
        root = b""
    if len(root) != HASH_BYTES:
        raise InputRefused("note-unreadable", "the checkpoint's root is no SHA-256 in base64")
    through = [int(found[1]) for line in lines[_LINES:] if (found := _THROUGH.fullmatch(line))]
    return Checkpoint(lines[0], int(lines[1]), root, through[0] if through else 0), signed
