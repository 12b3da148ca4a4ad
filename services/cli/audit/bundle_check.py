"""Is a bundle what was sealed? Its facts and what proves them, in the order of the tree, beside every head within reach."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from pydantic import ValidationError

from cardtrail.events import CheckpointSigned
from cardtrail.events.errors import EventRefused, InputRefused
from cardtrail.events.upcast import decode
from cardtrail.services.bundle.files import Bundle
from cardtrail.services.bundle.lines import read_fact
from cardtrail.services.bundle.manifest import FACTS, TREE, TreeLine
from cardtrail.services.cli.audit.log_leaves import kept_heads, sighted
from cardtrail.services.cli.outputs.verify_log import VerifyLogOutput
from cardtrail.services.ledger.check import LogCheck
from cardtrail.services.ledger.checkpoint import read_checkpoint
from cardtrail.services.ledger.note import Verifier
from cardtrail.services.ledger.sealing import OWN
from cardtrail.services.ledger.sparse import Node


def verify_bundle(place: Path, keys: Sequence[Verifier], elsewhere: Sequence[Path]) -> VerifyLogOutput:
    """Every fact of a bundle in its place under the head that came with it, or under heads kept elsewhere.

    Raises:
        UsageError: `file-unreadable`. InputRefused: `bundle-unreadable`, `bundle-version-unknown`, `bundle-altered`.
    """
    bundle = Bundle(place)
    head = bundle.manifest.head
    notes = [("manifest", head)] if head else []
    heads, problems = sighted([*notes, *_told(bundle), *kept_heads(elsewhere)], keys)
    through = read_checkpoint(head, ())[0].through if head else 0
    check = LogCheck(heads, _record(bundle, through))
    nodes = _nodes(bundle)
    node = next(nodes, None)
    for line in bundle.lines(FACTS):
        while node is not None and node.start == check.size:
            check.skip(node)
            node = next(nodes, None)
        told, leaf = read_fact(line)
        if leaf.sequence > through:
            check.behind(leaf)
        elif told.redacted:
            check.hide(leaf.sequence, bytes.fromhex(told.leaf))
        else:
            check.take(leaf)
    while node is not None:
        check.skip(node)
        node = next(nodes, None)
    return VerifyLogOutput(
        format="cardtrail.verify-log/1",
        source=str(place),
        keys=tuple(map(str, keys)),
        problems=tuple(problems),
        checked=check.ended(),
    )


def _record(bundle: Bundle, through: int) -> Iterator[tuple[int, bytes]]:
    """The hashes that the bundle says its facts had."""
    for line in bundle.lines(FACTS):
        told, leaf = read_fact(line)
        if leaf.sequence <= through:
            yield leaf.sequence, bytes.fromhex(told.leaf)


def _nodes(bundle: Bundle) -> Iterator[Node]:
    for line in bundle.lines(TREE):
        try:
            told = TreeLine.model_validate_json(line)
            yield Node(told.start, told.size, bytes.fromhex(told.hash))
        except (ValidationError, ValueError) as error:
            raise InputRefused("bundle-unreadable", "a line of the tree is none") from error


def _told(bundle: Bundle) -> Iterator[tuple[str, str]]:
    """Heads that were told within the slice."""
    for line in bundle.lines(FACTS):
        if OWN.encode() in line:
            _, leaf = read_fact(line)
            try:
                event = decode(leaf.data).data
            except EventRefused:
                continue
            if isinstance(event, CheckpointSigned):
                yield f"fact {leaf.sequence}", event.note
