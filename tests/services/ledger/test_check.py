"""A log beside its heads and its record: what was altered, taken out or put in is found, and the first of it named."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardtrail.services.ledger.check import Checked, LogCheck, Sighted
from cardtrail.services.ledger.leaf import Leaf
from cardtrail.services.ledger.sealing import OWN, Sealing
from cardtrail.services.ledger.sparse import Sparse

SUBJECT = "cardtrail.events.a.pricing.public.card-fetched.-"


def log(count: int = 9) -> list[Leaf]:
    return [Leaf(number, number * 1_000, SUBJECT, b"fact %d" % number) for number in range(1, count + 1)]


def sealed(leaves: list[Leaf], *sizes: int) -> list[Sighted]:
    sealing, found = Sealing(), []
    for leaf in leaves:
        sealing.take(leaf)
        if sealing.size in sizes:
            found.append(Sighted(sealing.head("here"), f"head {sealing.size}", signed=True))
    return found


def checked(leaves: list[Leaf], heads: list[Sighted], record: list[Leaf] | None = None) -> Checked:
    check = LogCheck(heads, [(leaf.sequence, leaf.hash()) for leaf in record or ()])
    for leaf in leaves:
        check.take(leaf)
    return check.ended()


def test_a_log_that_is_what_was_sealed_matches_every_head() -> None:
    found = checked(log(), sealed(log(), 3, 8), log())
    assert [head.matches for head in found.heads] == [True, True]
    assert (found.alteration, found.leaves, found.through, found.unsealed) == (None, 9, 9, 1)


def test_the_facts_that_no_signed_head_covers_are_named_by_their_sequences() -> None:
    def span(found: Checked) -> tuple[int, int | None, int | None]:
        return found.unsealed, found.unsealed_first, found.unsealed_last

    assert span(checked(log(), sealed(log(), 3, 6))) == (3, 7, 9)
    assert span(checked(log(), sealed(log(), 9))) == (0, None, None)
    assert span(checked(log(), [])) == (9, 1, 9)


def test_a_head_is_no_fact_that_waits_for_one() -> None:
    leaves = [*log(), Leaf(10, 10_000, OWN, b"a head")]
    assert checked(leaves, sealed(leaves, 9)).unsealed == 0


CHANGES: list[tuple[str, Callable[[list[Leaf]], list[Leaf]], int]] = [
    ("altered", lambda log: [*log[:4], log[4]._replace(data=b"other"), *log[5:]], 5),
    ("altered", lambda log: [*log[:4], log[4]._replace(stored_ns=1), *log[5:]], 5),
    ("altered", lambda log: [*log[:4], log[4]._replace(subject=SUBJECT + "x"), *log[5:]], 5),
    ("missing", lambda log: [*log[:4], *log[5:]], 5),
    ("missing", lambda log: log[:-2], 8),
    ("added", lambda log: [*log, Leaf(10, 1, SUBJECT, b"more")], 10),
]


@pytest.mark.parametrize(("what", "change", "first"), CHANGES)
def test_the_first_fact_that_is_not_as_it_was_is_named(what: str, change: Any, first: int) -> None:
    record = [*log(), Leaf(11, 1, SUBJECT, b"later")] if what == "added" else log()
    found = checked(change(log()), sealed(log(), 3, 9), record)
    assert found.alteration is not None
    assert (found.alteration.what, found.alteration.sequence) == (what, first)
    assert found.alteration.confirmed is (what != "added")


def test_without_a_record_it_is_bounded_by_the_heads() -> None:
    found = checked(CHANGES[0][1](log()), sealed(log(), 3, 6, 9))
    assert [head.matches for head in found.heads] == [True, False, False]
    alteration = found.alteration
    assert alteration is not None
    assert (alteration.what, alteration.sequence, alteration.after, alteration.through) == ("differs", None, 3, 6)


def test_a_log_that_ends_before_its_head_has_lost_something() -> None:
    found = checked(log()[:5], sealed(log(), 9))
    assert found.alteration is not None
    assert (found.alteration.what, found.alteration.after, found.alteration.through) == ("missing", 5, 9)
    assert [head.matches for head in found.heads] == [None]


def test_a_record_that_was_altered_with_the_log_confirms_nothing() -> None:
    forged = CHANGES[0][1](log())
    found = checked(forged, sealed(log(), 9), forged)
    assert found.alteration is not None
    assert (found.alteration.what, found.alteration.confirmed) == ("differs", False)


@given(st.integers(1, 40), st.data())
def test_a_slice_is_checked_like_the_whole(count: int, data: st.DataObject) -> None:
    leaves, (head,) = log(count), sealed(log(count), count)
    kept = data.draw(st.sets(st.integers(0, count - 1)))
    hidden = data.draw(st.sets(st.sampled_from(sorted(kept)))) if kept else set()
    forged = data.draw(st.one_of(st.none(), st.sampled_from(sorted(kept - hidden)))) if kept - hidden else None
    tree = Sparse(with_leaves=False)
    for place, leaf in enumerate(leaves):
        tree.append(leaf.hash(), keep=place in kept)
    nodes = iter(sorted(tree.ended().nodes.items()))
    check, following = LogCheck([head]), next(nodes, None)
    for place in (*sorted(kept), None):
        while following is not None and following[0][0] == check.size:
            check.skip(_node(following))
            following = next(nodes, None)
        if place in hidden:
            check.hide(leaves[place].sequence, leaves[place].hash())
        elif place is not None:
            check.take(leaves[place]._replace(data=b"forged") if place == forged else leaves[place])
    found = check.ended()
    assert [one.matches for one in found.heads] == [forged is None]
    assert (found.facts, found.hidden, found.leaves) == (len(kept - hidden), len(hidden), count)


def _node(item: tuple[tuple[int, int], bytes]) -> Any:
    from cardtrail.services.ledger.sparse import Node

    return Node(*item[0], item[1])
