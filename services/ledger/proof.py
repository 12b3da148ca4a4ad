"""A proof that one fact stands in a signed log, to be kept and checked anywhere: the fact, its path, the signed head."""

import base64
from collections.abc import Iterable, Sequence
from typing import Literal

from cardtrail.events.errors import InputRefused
from cardtrail.events.model.value import Value
from cardtrail.services.ledger.checkpoint import Checkpoint, read_checkpoint
from cardtrail.services.ledger.leaf import Leaf
from cardtrail.services.ledger.note import Verifier
from cardtrail.services.ledger.proofs import is_consistent, root_of_inclusion
from cardtrail.services.ledger.sparse import Proven


class Older(Value):
    """An older signed head, and the path that proves it a beginning of the newer tree."""

    checkpoint: str
    path: tuple[str, ...]


class Proof(Value):
    """That one fact stands in a signed log.

    `event` is its text as it lies there, `stored_ns` the broker's nanoseconds since 1970 (a text: JSON numbers end at 2^53),
    `path` the audit path in base64, `checkpoint` the signed head of a tree in which the leaf has this index.
    """

    format: Literal["cardtrail.proof/1"]
    sequence: int
    stored_ns: str
    subject: str
    event: str
    index: int
    path: tuple[str, ...]
    checkpoint: str
    older: Older | None


class ProofChecked(Value):
    """What a proof proves: `signed` names the trusted keys that signed the head, `older_signed` those of the older head."""

    holds: bool
    problem: str
    sequence: int
    size: int
    through: int
    origin: str
    signed: tuple[str, ...]
    older_size: int | None
    older_signed: tuple[str, ...]


def proof(leaf: Leaf, index: int, tree: Proven, note: str, older: tuple[Checkpoint, str] | None) -> Proof:
    """From a slice that keeps the leaf and, with `older`, the last leaf of that head.

    Raises:
        InputRefused: `broken-event`, its bytes are no text; `proof-incomplete`.
    """
    try:
        event = leaf.data.decode()
    except UnicodeDecodeError as error:
        raise InputRefused("broken-event", f"fact {leaf.sequence} is no text") from error
    told = None
    if older is not None:
        told = Older(checkpoint=older[1], path=_encoded(tree.consistency(older[0].size)))
    return Proof(
        format="cardtrail.proof/1",
        sequence=leaf.sequence,
        stored_ns=str(leaf.stored_ns),
        subject=leaf.subject,
        event=event,
        index=index,
        path=_encoded(tree.inclusion(index)),
        checkpoint=note,
        older=told,
    )


def checked(given: Proof, keys: Iterable[Verifier]) -> ProofChecked:
    """Whether the fact stands in the tree that the head signs, and the older head is a beginning of it.

    Raises:
        InputRefused: `note-unreadable`, `note-forged`, `proof-unreadable`.
    """
    held = tuple(keys)
    head, signed = read_checkpoint(given.checkpoint, held)
    leaf = Leaf(given.sequence, int(given.stored_ns), given.subject, given.event.encode())
    root = root_of_inclusion(leaf.hash(), given.index, head.size, _decoded(given.path))
    problem = "" if root == head.root else "the fact is not in the tree of this head"
    older, older_signed = (None, ()) if given.older is None else read_checkpoint(given.older.checkpoint, held)
    if older is not None and given.older is not None and not problem:
        path = _decoded(given.older.path)
        if not is_consistent(older.size, head.size, older.root, head.root, path):
            problem = "the older head is not a beginning of this tree"
    return ProofChecked(
        holds=not problem,
        problem=problem,
        sequence=given.sequence,
        size=head.size,
        through=head.through,
        origin=head.origin,
        signed=tuple(map(str, signed)),
        older_size=older.size if older else None,
        older_signed=tuple(map(str, older_signed)),
    )


def _encoded(path: Iterable[bytes]) -> tuple[str, ...]:
    return tuple(base64.b64encode(node).decode() for node in path)


def _decoded(path: Sequence[str]) -> list[bytes]:
    try:
        return [base64.b64decode(node, validate=True) for node in path]
    except ValueError as error:
        raise InputRefused("proof-unreadable", "the path is no base64") from error
