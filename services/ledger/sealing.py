"""What a sealer remembers: the tree so far, and how many facts came since the last signed head."""

from cardtrail.events.checkpoint_signed import CheckpointSigned
from cardtrail.services.ledger.checkpoint import Checkpoint
from cardtrail.services.ledger.leaf import Leaf
from cardtrail.services.ledger.merkle import Frontier
from cardtrail.services.ledger.note import Signer

OWN = f"cardtrail.ledger.{CheckpointSigned.kind}"


class Sealing:
    """Grown leaf by leaf. `fresh` facts are not under a head yet; heads themselves do not count, or they would never end."""

    def __init__(self) -> None:
        """Nothing is sealed."""
        self._tree = Frontier()
        self.through = self.fresh = 0

    @property
    def size(self) -> int:
        """Leaves so far."""
        return self._tree.size

    def take(self, leaf: Leaf) -> bytes:
        """One more fact; its hash, to be recorded."""
        hashed = leaf.hash()
        self.again(leaf.sequence, hashed)
        self.fresh += leaf.subject != OWN
        return hashed

    def again(self, sequence: int, hashed: bytes) -> None:
        """A leaf that was recorded before."""
        self._tree.append(hashed)
        self.through = sequence

    def head(self, origin: str) -> Checkpoint:
        """The head as it is now."""
        return Checkpoint(origin, self.size, self._tree.root(), self.through)

    def sealed(self, key: Signer) -> tuple[CheckpointSigned, str]:
        """The event that tells the head, and the note to keep elsewhere; from here on nothing is fresh."""
        head = self.head(key.name)
        note = head.signed(key)
        self.fresh = 0
        told = CheckpointSigned(
            origin=head.origin, size=head.size, through=head.through, root=head.root.hex(), note=note
        )
        return told, note
