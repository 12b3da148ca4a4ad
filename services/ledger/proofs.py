"""Checking proofs of inclusion and consistency with nothing but hashes (RFC 9162 §2.1.3.2 and §2.1.4.2)."""

from collections.abc import Sequence

from cardtrail.services.ledger.merkle import node_hash


def root_of_inclusion(leaf: bytes, index: int, size: int, path: Sequence[bytes]) -> bytes | None:
    """The root that this path leads to, None where it cannot be the path of that leaf in a tree of that size."""
    if not 0 <= index < size:
        return None
    place, last, root = index, size - 1, leaf
    for node in path:
        if last == 0:
            return None
        if place & 1 or place == last:
            root = node_hash(node, root)
            while not place & 1 and place:
                place, last = place >> 1, last >> 1
        else:
            root = node_hash(root, node)
        place, last = place >> 1, last >> 1
    return root if last == 0 else None


def is_consistent(old: int, new: int, old_root: bytes, new_root: bytes, path: Sequence[bytes]) -> bool:
    """Whether the tree of `new` leaves begins with the tree of `old`."""
    if not 0 < old <= new:
        return old == 0 and not path
    if old == new:
        return not path and old_root == new_root
    nodes = [old_root, *path] if old & (old - 1) == 0 else list(path)
    place, last = old - 1, new - 1
    while place & 1:
        place, last = place >> 1, last >> 1
    if not nodes:
        return False
    first = second = nodes[0]
    for node in nodes[1:]:
        if last == 0:
            return False
        if place & 1 or place == last:
            first, second = node_hash(node, first), node_hash(node, second)
            while not place & 1 and place:
                place, last = place >> 1, last >> 1
        else:
            second = node_hash(second, node)
        place, last = place >> 1, last >> 1
    return last == 0 and (first, second) == (old_root, new_root)
