"""The Merkle tree of RFC 9162 §2.1 with SHA-256, grown leaf by leaf in memory that grows with the logarithm of its size.

Own code: pymerkle, the one library of note on the package index, is under the GPL and keeps all leaves in memory or SQLite.
"""

import hashlib

from cardtrail.events.errors import InputRefused

HASH_BYTES = 32


def leaf_hash(data: bytes) -> bytes:
    """The hash of a leaf: SHA-256 of 0x00 and its bytes (§2.1.1)."""
    return hashlib.sha256(b"\x00" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of a node: SHA-256 of 0x01 and both sides (§2.1.1)."""
    return hashlib.sha256(b"\x01" + left + right).digest()


EMPTY_ROOT = hashlib.sha256(b"").digest()
"""The root of a tree without leaves."""


class Frontier:
    """A tree as the roots of its complete subtrees, largest first: enough to grow it and to know its root."""

    def __init__(self) -> None:
        """No leaf yet."""
        self.size = 0
        self._subtrees: list[bytes] = []

    def append(self, leaf: bytes, leaves: int = 1) -> None:
        """One more leaf, by its hash; or, with `leaves` a power of two, the root of a complete subtree.

        Raises:
            InputRefused: `proof-incomplete`, no complete subtree of that many leaves can begin here.
        """
        if leaves < 1 or leaves & (leaves - 1) or self.size & (leaves - 1):
            raise InputRefused("proof-incomplete", f"no subtree of {leaves} leaves begins at leaf {self.size}")
        below, size = leaf, self.size // leaves
        while size & 1:
            below, size = node_hash(self._subtrees.pop(), below), size >> 1
        self._subtrees.append(below)
        self.size += leaves

    def root(self) -> bytes:
        """The root of the tree as it is now."""
        if not self._subtrees:
            return EMPTY_ROOT
        *rest, root = self._subtrees
        for left in reversed(rest):
            root = node_hash(left, root)
        return root


def split(size: int) -> int:
    """The largest power of two smaller than a size above 1: how many leaves lie left of the root (§2.1.1)."""
    return 1 << (size - 1).bit_length() - 1
