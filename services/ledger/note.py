"""Signed notes (C2SP signed-note) with Ed25519: a text that people can read, signatures below it, keys by name.

    text, ended by a line feed
    (an empty line)
    — <key name> <base64 of 4 bytes of key id and the signature>

A verifier key is `<name>+<key id>+<base64 of 0x01 and the public key>`, a signing key `PRIVATE+KEY+<name>+<key id>+<base64 of
0x01 and the seed>`, as golang.org/x/mod/sumdb/note writes both.
"""

import base64
import binascii
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from cardtrail.events.errors import InputRefused, UsageError

_ALGORITHM = b"\x01"
_ID_BYTES, _KEY_BYTES = 4, 32
_DASH = "\u2014 "
_PRIVATE = "PRIVATE+KEY+"
LARGEST = 64 * 1024


class Verifier(NamedTuple):
    """A public key by its name."""

    name: str
    public: bytes

    @property
    def id(self) -> bytes:
        """Four bytes that tell keys of one name apart."""
        return hashlib.sha256(self.name.encode() + b"\n" + _ALGORITHM + self.public).digest()[:_ID_BYTES]

    def __str__(self) -> str:
        """As it is handed to others."""
        return f"{self.name}+{self.id.hex()}+{base64.b64encode(_ALGORITHM + self.public).decode()}"

    def verifies(self, text: bytes, signature: bytes) -> bool:
        """Whether this key signed the text."""
        try:
            Ed25519PublicKey.from_public_bytes(self.public).verify(signature, text)
        except InvalidSignature:
            return False
        return True


@dataclass(frozen=True, repr=False)
class Signer:
    """A private key by its name; its seed is shown nowhere but in `secret`."""

    name: str
    _seed: bytes

    @property
    def verifier(self) -> Verifier:
        """The public half."""
        return Verifier(self.name, Ed25519PrivateKey.from_private_bytes(self._seed).public_key().public_bytes_raw())

    def secret(self) -> str:
        """As it is kept in a file that others cannot read."""
        return f"{_PRIVATE}{self.name}+{self.verifier.id.hex()}+{base64.b64encode(_ALGORITHM + self._seed).decode()}"

    def sign(self, text: str) -> str:
        """The text as a signed note; it ends with a line feed."""
        signature = Ed25519PrivateKey.from_private_bytes(self._seed).sign(text.encode())
        return f"{text}\n{_DASH}{self.name} {base64.b64encode(self.verifier.id + signature).decode()}\n"


def signer(name: str, seed: bytes) -> Signer:
    """A key of this name from 32 random bytes.

    Raises:
        UsageError: `key-unfit`, the name is empty or holds a space or a plus sign.
    """
    if not name or any(character.isspace() or character == "+" for character in name):
        raise UsageError("key-unfit", "a key's name holds neither space nor plus sign, and is not empty")
    return Signer(name, seed)


def read_signer(text: str) -> Signer:
    """A signing key from its text.

    Raises:
        UsageError: `key-unfit`.
    """
    if not text.startswith(_PRIVATE):
        raise UsageError("key-unfit", "no signing key", hint="cardtrail seal --new-key FILE makes one")
    name, key = _read(text.strip().removeprefix(_PRIVATE))
    made = signer(name, key)
    if text.strip().split("+")[3] != made.verifier.id.hex():
        raise UsageError("key-unfit", "the signing key's id is not that of its bytes")
    return made


def read_verifier(text: str) -> Verifier:
    """A verifier key from its text; of a signing key, its public half.

    Raises:
        UsageError: `key-unfit`.
    """
    if text.startswith(_PRIVATE):
        return read_signer(text).verifier
    name, key = _read(text.strip())
    found = Verifier(name, key)
    if text.strip().split("+")[1] != found.id.hex():
        raise UsageError("key-unfit", "the verifier key's id is not that of its bytes")
    return found


def opened(note: str, keys: Iterable[Verifier]) -> tuple[str, tuple[Verifier, ...]]:
    """The text of a note and which of the keys signed it; other signatures are passed over, as the format asks.

    Raises:
        InputRefused: `note-unreadable`, or `note-forged`: a signature by one of the keys does not match.
    """
    text, gap, signatures = note.rpartition("\n\n")
    if not gap or not signatures.endswith("\n") or len(note) > LARGEST:
        raise InputRefused("note-unreadable", "no signed note: a text, an empty line, signatures")
    known = {(key.name, key.id): key for key in keys}
    signed: list[Verifier] = []
    for line in signatures[:-1].split("\n"):
        name, id_, signature = _signature(line)
        key = known.get((name, id_))
        if key is None:
            continue
        if not key.verifies((text + "\n").encode(), signature):
            raise InputRefused("note-forged", f"the signature by {name} is not of this text")
        signed.append(key)
    return text + "\n", tuple(dict.fromkeys(signed))


def _signature(line: str) -> tuple[str, bytes, bytes]:
    name, gap, encoded = line.removeprefix(_DASH).rpartition(" ")
    try:
        data = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError):
        data = b""
    if not line.startswith(_DASH) or not gap or len(data) <= _ID_BYTES:
        raise InputRefused("note-unreadable", "a line below the text is no signature")
    return name, data[:_ID_BYTES], data[_ID_BYTES:]


def _read(text: str) -> tuple[str, bytes]:
    parts = text.split("+", 2)
    try:
        data = base64.b64decode(parts[2], validate=True) if len(parts) == 3 else b""  # noqa: PLR2004 — name, id, key
    except (binascii.Error, ValueError):
        data = b""
    if data[:1] != _ALGORITHM or len(data) != _KEY_BYTES + 1:
        raise UsageError("key-unfit", "no Ed25519 key of a signed note: NAME+ID+BASE64")
    return parts[0], data[1:]
