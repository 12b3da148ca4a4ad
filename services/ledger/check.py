"""Is this the log that was sealed? Leaves in order beside a record of their hashes and the signed heads, in one pass.

A head that does not match says that something up to its last leaf was altered; the record, once a signed head confirms it, says
which fact was the first.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from cardtrail.events.model.value import Value
from cardtrail.services.ledger.checkpoint import Checkpoint
from cardtrail.services.ledger.leaf import Leaf
from cardtrail.services.ledger.merkle import Frontier
from cardtrail.services.ledger.sealing import OWN
from cardtrail.services.ledger.sparse import Node

Recorded = tuple[int, bytes]
"""Sequence and leaf hash."""


class Sighted(NamedTuple):
    """A checkpoint, where it was found, and whether a key that is trusted here signed it."""

    checkpoint: Checkpoint
    where: str
    signed: bool


class Head(Value):
    """What became of one checkpoint: `matches` null: the leaves given do not tell (they end before it, or leave it out)."""

    size: int
    through: int
    root: str
    where: str
    signed: bool
    matches: bool | None


class Alteration(Value):
    """The first difference: an exact sequence, or (`sequence` null) somewhere behind `after` up to `through`.

    `confirmed`: a signed head confirms what stood there before.
    """

    what: Literal["altered", "missing", "added", "differs"]
    sequence: int | None
    after: int
    through: int
    confirmed: bool


class Checked(Value):
    """What was found: `leaves` in the tree, `facts` with their bytes, `hidden` by hash alone.

    `unsealed` counts facts behind the last signed head that matches, other heads apart; the sequences of the first and the last
    of them are null where there is none.
    """

    leaves: int
    facts: int
    hidden: int
    through: int
    heads: tuple[Head, ...]
    alteration: Alteration | None
    unsealed: int
    unsealed_first: int | None = None
    unsealed_last: int | None = None


class LogCheck:
    """Fed with leaves, hashes of redacted ones and subtrees left out, in order."""

    def __init__(self, heads: Iterable[Sighted], record: Iterable[Recorded] = ()) -> None:
        """`record` holds what the leaves were when they were sealed."""
        self._heads: dict[int, list[Sighted]] = defaultdict(list)
        for one in heads:
            self._heads[one.checkpoint.size].append(one)
        self._tree, self._recorded = Frontier(), Frontier()
        self._record: Iterator[Recorded] = iter(record)
        self._next = next(self._record, None)
        self._judged: list[Head] = []
        self._through = self._facts = self._hidden = self._good_through = 0
        self._fresh, self._span = 0, (0, 0)
        self._difference: Alteration | None = None
        self._confirmed = 0

    def take(self, leaf: Leaf) -> None:
        """A fact with its bytes."""
        self._facts += 1
        self.behind(leaf)
        self._add(leaf.sequence, leaf.hash())

    def hide(self, sequence: int, leaf: bytes) -> None:
        """A fact by its hash alone."""
        self._hidden += 1
        self._wait(sequence)
        self._add(sequence, leaf)

    def skip(self, node: Node) -> None:
        """Facts that are left out, by the root over them. Raises as `Frontier.append`."""
        if self._recorded.size == self._tree.size:
            self._recorded.append(node.hash, node.size)
        self._tree.append(node.hash, node.size)
        self._judge()

    def behind(self, leaf: Leaf) -> None:
        """A fact that no signed head covers so far; behind the last one its place in the tree is not told."""
        if leaf.subject != OWN:
            self._wait(leaf.sequence)

    @property
    def size(self) -> int:
        """Leaves so far."""
        return self._tree.size

    def ended(self) -> Checked:
        """The outcome."""
        if self._next is not None and self._difference is None:
            self._differs("missing", self._next[0])
        while self._next is not None:
            self._advance()
        late = [one for size in sorted(self._heads) if size > self._tree.size for one in self._heads[size]]
        self._judged += [_head(one, matches=None) for one in late]
        return Checked(
            leaves=self._tree.size,
            facts=self._facts,
            hidden=self._hidden,
            through=self._through,
            heads=tuple(self._judged),
            alteration=self._alteration(late),
            unsealed=self._fresh,
            unsealed_first=self._span[0] or None,
            unsealed_last=self._span[1] or None,
        )

    def _wait(self, sequence: int) -> None:
        self._fresh, self._span = self._fresh + 1, (self._span[0] or sequence, sequence)

    def _add(self, sequence: int, leaf: bytes) -> None:
        self._compare(sequence, leaf)
        self._tree.append(leaf)
        self._through = sequence
        self._judge()

    def _compare(self, sequence: int, leaf: bytes) -> None:
        """The leaf beside its record; what is recorded behind the end of the record is not known."""
        while self._next is not None and self._next[0] < sequence:
            self._differs("missing", self._next[0])
            self._advance()
        if self._next is None:
            return
        if self._next[0] > sequence:
            self._differs("added", sequence)
            return
        if self._next[1] != leaf:
            self._differs("altered", sequence)
        self._advance()

    def _advance(self) -> None:
        """One record further; a signed head over it confirms all before."""
        assert self._next is not None  # noqa: S101 — asked for only while there is one
        self._recorded.append(self._next[1])
        self._next = next(self._record, None)
        for one in self._heads.get(self._recorded.size, ()):
            if one.signed and one.checkpoint.root == self._recorded.root():
                self._confirmed = max(self._confirmed, one.checkpoint.through)

    def _judge(self) -> None:
        for one in self._heads.get(self._tree.size, ()):
            matches = one.checkpoint.root == self._tree.root()
            self._judged.append(_head(one, matches=matches))
            if matches and one.signed:
                self._fresh, self._span, self._good_through = 0, (0, 0), self._through
            elif not matches and self._difference is None:
                self._differs("differs", None, one.checkpoint.through)

    def _differs(
        self, what: Literal["altered", "missing", "added", "differs"], at: int | None, through: int = 0
    ) -> None:
        if self._difference is None:
            self._difference = Alteration(
                what=what, sequence=at, after=self._good_through, through=through or at or 0, confirmed=False
            )

    def _alteration(self, late: list[Sighted]) -> Alteration | None:
        """A head beyond the last leaf says that what lay between is gone."""
        found = self._difference
        if found is None and late:
            last = late[0].checkpoint
            return Alteration(
                what="missing", sequence=None, after=self._through, through=last.through, confirmed=late[0].signed
            )
        if found is None or found.sequence is None:
            return found
        return found.model_copy(update={"confirmed": found.sequence <= self._confirmed})


def _head(one: Sighted, *, matches: bool | None) -> Head:
    point = one.checkpoint
    return Head(
        size=point.size,
        through=point.through,
        root=point.root.hex(),
        where=one.where,
        signed=one.signed,
        matches=matches,
    )
