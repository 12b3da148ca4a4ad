"""Is the log the one that was sealed? The broker's log, or a proof, beside every head within reach."""

from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from cardtrail.events.errors import InputRefused
from cardtrail.services.cli.audit.log_leaves import kept_heads, log_leaves, sighted, told_heads, trusted
from cardtrail.services.cli.live.progress import Say, watched
from cardtrail.services.cli.live.tracker import Tracker
from cardtrail.services.cli.outputs.verify_log import VerifyLogOutput
from cardtrail.services.cli.shell.inputs import read_file
from cardtrail.services.ledger.check import LogCheck
from cardtrail.services.ledger.note import Verifier
from cardtrail.services.ledger.proof import Proof, ProofChecked, checked
from cardtrail.services.seal_files import leaves


async def verify_log(tracker: Tracker, keys: Sequence[str], elsewhere: Sequence[Path], say: Say) -> VerifyLogOutput:
    """The whole log in one pass, beside the heads it tells, those kept elsewhere and the sealer's own files.

    Raises:
        UsageError: `file-unreadable`, `key-unfit`.
    """
    held = trusted(keys, tracker.settings)
    own = tracker.settings.seal.home(tracker.settings.broker.data)
    notes = [(f"fact {sequence}", note) for sequence, note in await told_heads(tracker.bus)]
    notes += kept_heads([*elsewhere, *([own] if own.is_dir() else [])])
    heads, problems = sighted(notes, held)
    record = next((place for place in (*elsewhere, own) if place.is_dir()), own)
    check = LogCheck(heads, leaves(record))
    async with watched("verifying", tracker.log.last, say) as seen:
        async for leaf in log_leaves(tracker.bus, tracker.log.last, seen):
            check.take(leaf)
    return VerifyLogOutput(
        format="cardtrail.verify-log/1",
        source=tracker.url,
        keys=tuple(map(str, held)),
        problems=tuple(problems),
        checked=check.ended(),
    )


def verify_proof(file: str, keys: Sequence[Verifier]) -> ProofChecked:
    """A proof file by itself.

    Raises:
        InputRefused: `proof-unreadable`, `note-unreadable`, `note-forged`. UsageError: `file-unreadable`.
    """
    try:
        proof = Proof.model_validate_json(read_file(file).data)
        return checked(proof, keys)
    except (ValidationError, ValueError) as error:
        raise InputRefused("proof-unreadable", "no proof of a fact", file=file) from error


def is_proof(file: str) -> bool:
    """Whether a file holds a proof of one fact, whatever it proves. Raises UsageError: `file-unreadable`."""
    try:
        Proof.model_validate_json(read_file(file).data)
    except ValueError:
        return False
    return True
