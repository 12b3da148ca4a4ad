"""What a leaf of the tree is: which bytes the broker stored, where and when.

`cardtrail.leaf/1`, sequence, stored nanoseconds since 1970 and subject, each ended by a line feed, then the bytes as they lie on
the log. A subject holds no line feed, so no two facts give the same leaf. The place is in it, because a fact that is moved says
something else; the time and the subject, because the broker alone gives them and folds rest on them.
"""

from typing import NamedTuple

from cardtrail.services.ledger.merkle import leaf_hash

_HEAD = "cardtrail.leaf/1\n{}\n{}\n{}\n"


class Leaf(NamedTuple):
    """A stored fact as the broker keeps it, whether or not this release can read it."""

    sequence: int
    stored_ns: int
    subject: str
    data: bytes

    def hash(self) -> bytes:
        """Its hash in the tree."""
        return leaf_hash(_HEAD.format(self.sequence, self.stored_ns, self.subject).encode() + self.data)
