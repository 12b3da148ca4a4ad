"""A tree of which only some leaves are kept: the rest as the roots of the largest complete subtrees without a kept leaf.

One pass over all leaves makes it, in memory that grows with what is kept. It gives the root, inclusion proofs of kept leaves and
the consistency with every size whose last leaf is kept: a slice of the log can be proven without the log.
"""

from collections.abc import Mapping
from typing import NamedTuple

from cardtrail.events.errors import InputRefused
from cardtrail.services.ledger.merkle import EMPTY_ROOT, node_hash, split


class Node(NamedTuple):
    """The root of the subtree over `size` leaves from index `start`."""

    start: int
    size: int
    hash: bytes


class Sparse:
    """Grown leaf by leaf; `nodes` holds what is kept once it is `ended`."""

    def __init__(self, *, with_leaves: bool = True) -> None:
        """No leaf yet; without `with_leaves`, kept leaves are known elsewhere and only what is left out is remembered."""
        self.size, self._with_leaves = 0, with_leaves
        self.nodes: list[Node] = []
        self._stack: list[tuple[Node, bool]] = []

    def append(self, leaf: bytes, *, keep: bool) -> None:
        """One more leaf, by its hash."""
        top, kept = Node(self.size, 1, leaf), keep
        if keep and self._with_leaves:
            self.nodes.append(top)
        while self._stack and self._stack[-1][0].size == top.size:
            left, left_kept = self._stack.pop()
            if kept != left_kept:
                self.nodes.append(top if left_kept else left)
            top, kept = Node(left.start, left.size * 2, node_hash(left.hash, top.hash)), kept or left_kept
        self._stack.append((top, kept))
        self.size += 1

    def ended(self) -> "Proven":
        """The tree as it is now, with what is kept of it."""
        nodes = [*self.nodes, *(node for node, kept in self._stack if not kept)]
        return Proven(self.size, {(node.start, node.size): node.hash for node in nodes})


class Proven:
    """A tree of `size` leaves as far as its `nodes` tell."""

    def __init__(self, size: int, nodes: Mapping[tuple[int, int], bytes]) -> None:
        """`nodes` by start and number of leaves."""
        self.size, self.nodes = size, nodes

    def root(self, size: int | None = None) -> bytes:
        """The root of the tree, or of its first `size` leaves.

        Raises:
            InputRefused: `proof-incomplete`, the nodes do not tell.
        """
        return self._hash(0, self.size if size is None else size)

    def inclusion(self, index: int) -> list[bytes]:
        """The audit path of a leaf, from the leaf up (RFC 9162 §2.1.3.1). Raises as `root`."""
        start, size, path = 0, self.size, []
        while size > 1:
            left = split(size)
            if index < start + left:
                path.append(self._hash(start + left, size - left))
                size = left
            else:
                path.append(self._hash(start, left))
                start, size = start + left, size - left
        return path[::-1]

    def consistency(self, old: int) -> list[bytes]:
        """That the first `old` leaves are the tree it was then (RFC 9162 §2.1.4.1). Raises as `root`."""
        start, size, path, whole = 0, self.size, [], True
        if not 0 < old <= self.size:
            raise InputRefused("proof-incomplete", f"a tree of {self.size} does not begin with one of {old}")
        while old != start + size:
            left = split(size)
            if old <= start + left:
                path.append(self._hash(start + left, size - left))
                size = left
            else:
                path.append(self._hash(start, left))
                start, size, whole = start + left, size - left, False
        if not whole:
            path.append(self._hash(start, size))
        return path[::-1]

    def _hash(self, start: int, size: int) -> bytes:
        if size == 0:
            return EMPTY_ROOT
        known = self.nodes.get((start, size))
        if known is not None:
            return known
        if size == 1 or start >= self.size:
            raise InputRefused("proof-incomplete", f"nothing is known of leaf {start} of {self.size}")
        left = split(size)
        return node_hash(self._hash(start, left), self._hash(start + left, size - left))
