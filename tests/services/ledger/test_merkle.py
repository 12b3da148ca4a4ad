"""The tree beside the vectors of RFC 9162 and of Certificate Transparency, and its laws for every size."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardtrail.events.errors import InputRefused
from cardtrail.services.ledger.merkle import EMPTY_ROOT, Frontier, leaf_hash, node_hash
from cardtrail.services.ledger.proofs import is_consistent, root_of_inclusion
from cardtrail.services.ledger.sparse import Proven, Sparse

# The reference leaves and roots of Certificate Transparency's own test suites.
LEAVES = [
    bytes.fromhex(text)
    for text in ("", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f")
]
ROOTS = (
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
)


def tree(leaves: list[bytes], keep: set[int] | None = None) -> Proven:
    made = Sparse()
    for index, leaf in enumerate(leaves):
        made.append(leaf_hash(leaf), keep=keep is None or index in keep)
    return made.ended()


def naive(leaves: list[bytes]) -> bytes:
    """§2.1.1 as it is written."""
    if not leaves:
        return hashlib.sha256(b"").digest()
    if len(leaves) == 1:
        return leaf_hash(leaves[0])
    k = 1
    while k * 2 < len(leaves):
        k *= 2
    return node_hash(naive(leaves[:k]), naive(leaves[k:]))


def test_the_roots_are_those_of_certificate_transparency() -> None:
    frontier = Frontier()
    assert frontier.root() == EMPTY_ROOT
    for leaf, root in zip(LEAVES, ROOTS, strict=True):
        frontier.append(leaf_hash(leaf))
        assert frontier.root().hex() == root


def test_the_paths_are_those_of_the_rfc() -> None:
    """RFC 9162 §2.1.5: the tree of seven leaves and its proofs, node by node."""
    data = [b"d%d" % number for number in range(7)]
    a, b, c, d, e, f, j = map(leaf_hash, data)
    g, h, i = node_hash(a, b), node_hash(c, d), node_hash(e, f)
    k, l_ = node_hash(g, h), node_hash(i, j)
    seven = tree(data)
    assert seven.root() == node_hash(k, l_)
    assert [seven.inclusion(leaf) for leaf in (0, 3, 4, 6)] == [[b, h, l_], [c, g, l_], [f, j, k], [i, k]]
    assert [seven.consistency(old) for old in (3, 4, 6)] == [[c, d, g, l_], [l_], [i, j, k]]


sizes = st.integers(1, 70)


@given(size=sizes, data=st.data())
def test_a_slice_of_any_tree_proves_its_leaves_and_nothing_else(size: int, data: st.DataObject) -> None:
    leaves = [b"%d" % number for number in range(size)]
    kept = data.draw(st.sets(st.integers(0, size - 1), min_size=1, max_size=6))
    sliced, frontier = tree(leaves, kept), Frontier()
    for leaf in leaves:
        frontier.append(leaf_hash(leaf))
    assert sliced.root() == frontier.root() == naive(leaves)
    for index in kept:
        path = sliced.inclusion(index)
        assert path == tree(leaves).inclusion(index)
        assert root_of_inclusion(leaf_hash(leaves[index]), index, size, path) == naive(leaves)
        assert root_of_inclusion(leaf_hash(b"other"), index, size, path) != naive(leaves)
        assert all(
            root_of_inclusion(leaf_hash(leaves[index]), other, size, path) != naive(leaves)
            for other in range(size)
            if other != index
        )
        assert root_of_inclusion(leaf_hash(leaves[index]), index, size, [*path, path[0] if path else b"x"]) is None


@given(size=sizes, data=st.data())
def test_every_older_tree_is_proven_a_beginning_of_the_newer(size: int, data: st.DataObject) -> None:
    old = data.draw(st.integers(1, size))
    leaves = [b"%d" % number for number in range(size)]
    path = tree(leaves, {old - 1}).consistency(old)
    before, after = naive(leaves[:old]), naive(leaves)
    assert is_consistent(old, size, before, after, path)
    forged = naive([*leaves[: old - 1], b"other"])
    assert not is_consistent(old, size, forged, after, path)
    if old < size:
        assert not is_consistent(old, size, before, before, path)


def test_a_leaf_that_was_not_kept_is_not_proven() -> None:
    with pytest.raises(InputRefused) as refused:
        tree(LEAVES, {0}).inclusion(5)
    assert refused.value.code == "proof-incomplete"
    with pytest.raises(InputRefused):
        tree(LEAVES).consistency(9)


def test_what_is_kept_of_a_large_tree_is_small() -> None:
    made = Sparse()
    for number in range(20_000):
        made.append(leaf_hash(b"%d" % number), keep=number % 5_000 == 7)
    assert len(made.ended().nodes) < 80
