"""The log as the ledger sees it: every stored message in order, and the heads that were signed over it."""

from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from cardtrail.events import CheckpointSigned
from cardtrail.events.errors import InputRefused
from cardtrail.events.subjects import ALL
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.names import FACTS
from cardtrail.services.bus.progress import Progress
from cardtrail.services.bus.pull import Delivered
from cardtrail.services.bus.snapshot import passage
from cardtrail.services.ledger.check import Sighted
from cardtrail.services.ledger.checkpoint import read_checkpoint
from cardtrail.services.ledger.leaf import Leaf
from cardtrail.services.ledger.note import Verifier
from cardtrail.services.ledger.sealing import OWN
from cardtrail.services.seal_files import heads, verifier_key
from cardtrail.services.settings import Settings


async def log_leaves(bus: Bus, through: int, seen: Progress) -> AsyncIterator[Leaf]:
    """Every message as it is stored. Raises as `passage`."""
    async for message in passage(bus.connection, FACTS, ALL, through=through):
        seen.position = message.sequence
        yield leaf_of(message)


def leaf_of(message: Delivered) -> Leaf:
    """A stored message as the ledger sees it."""
    return Leaf(message.sequence, message.stored_ns, message.subject, message.data)


async def told_heads(bus: Bus) -> list[tuple[int, str]]:
    """Sequence and note of every head that was told, oldest first."""
    found = []
    async for message in passage(bus.connection, FACTS, OWN):
        stored = await bus.at(message.sequence)
        if stored is not None and isinstance(stored.fact.data, CheckpointSigned):
            found.append((stored.sequence, stored.fact.data.note))
    return found


def sighted(notes: Sequence[tuple[str, str]], keys: Sequence[Verifier]) -> tuple[list[Sighted], list[str]]:
    """Heads by where they were found, and what is wrong with those that are none."""
    found, problems = [], []
    for where, note in notes:
        try:
            head, signed = read_checkpoint(note, keys)
        except InputRefused as refusal:
            problems.append(f"{where}: {refusal.message}")
            continue
        found.append(Sighted(head, where, bool(signed)))
    return found, problems


def kept_heads(places: Sequence[Path]) -> list[tuple[str, str]]:
    """Name and note of heads in files and folders. Raises as `heads`."""
    return [one for place in places for one in heads(place)]


def trusted(given: Sequence[str], settings: Settings) -> list[Verifier]:
    """The verifier keys that are named, else the public half of the settings' own.

    Raises:
        UsageError: `file-unreadable`, `key-unfit`.
    """
    names = list(given) or ([str(settings.seal.key)] if settings.seal.key and settings.seal.key.exists() else [])
    return [verifier_key(name) for name in names]
