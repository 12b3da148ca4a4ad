"""A fact's proof: one pass over the log up to the newest signed head."""

from pathlib import Path

from cardtrail.events.errors import InputRefused, UsageError
from cardtrail.services.cli.audit.finding_facts import fact
from cardtrail.services.cli.audit.log_leaves import kept_heads, log_leaves, told_heads
from cardtrail.services.cli.live.progress import Say, watched
from cardtrail.services.cli.live.tracker import Tracker
from cardtrail.services.ledger.checkpoint import Checkpoint, read_checkpoint
from cardtrail.services.ledger.leaf import Leaf
from cardtrail.services.ledger.proof import Proof, proof
from cardtrail.services.ledger.sparse import Sparse


async def prove(tracker: Tracker, given: str, older: Path | None, say: Say) -> Proof:
    """The proof of one fact, and of an older head kept elsewhere being a beginning of the log.

    Raises:
        UsageError: `fact-unknown`, `fact-ambiguous`, `not-sealed`. InputRefused: `log-altered`.
    """
    sequence = await fact(tracker.bus, given)
    head, note = await _newest(tracker, sequence)
    kept = None if older is None else _older(older, head)
    tree, leaf, index = Sparse(), None, 0
    async with watched("proving", head.through, say) as seen:
        async for one in log_leaves(tracker.bus, head.through, seen):
            if one.sequence == sequence:
                leaf, index = one, tree.size
            last_of_older = kept is not None and tree.size == kept[0].size - 1
            tree.append(one.hash(), keep=one.sequence == sequence or last_of_older)
    return _proved(tree, leaf, index, (head, note), kept)


def _proved(
    tree: Sparse, leaf: Leaf | None, index: int, head: tuple[Checkpoint, str], older: tuple[Checkpoint, str] | None
) -> Proof:
    ended = tree.ended()
    if leaf is None or ended.size != head[0].size or ended.root() != head[0].root:
        hint = "cardtrail verify-log names the first altered fact"
        raise InputRefused("log-altered", "the log is not the one that was sealed", hint=hint)
    return proof(leaf, index, ended, head[1], older)


async def _newest(tracker: Tracker, sequence: int) -> tuple[Checkpoint, str]:
    """The newest head, which must cover the fact."""
    notes = await told_heads(tracker.bus)
    head, note = (read_checkpoint(notes[-1][1], ())[0], notes[-1][1]) if notes else (None, "")
    if head is None or head.through < sequence:
        hint = "cardtrail seal signs one now; [seal] key in the settings, from cardtrail seal --new-key FILE"
        raise UsageError("not-sealed", f"no signed head covers fact {sequence} yet", hint=hint)
    return head, note


def _older(place: Path, newest: Checkpoint) -> tuple[Checkpoint, str]:
    """The newest of the heads in a file or folder that is older than the log's."""
    found = [(read_checkpoint(note, ())[0], note) for _, note in kept_heads([place])]
    fitting = [one for one in found if 0 < one[0].size < newest.size]
    if not fitting:
        raise UsageError("not-sealed", f"no head in {place} is older than the log's newest")
    return max(fitting, key=lambda one: one[0].size)
