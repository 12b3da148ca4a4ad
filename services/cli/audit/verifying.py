"""`verify-log` in its three readings: the broker's log, a bundle, one proof."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from cardtrail.events.errors import InputRefused
from cardtrail.services.cli.audit.bundle_check import verify_bundle
from cardtrail.services.cli.audit.log_leaves import trusted
from cardtrail.services.cli.audit.verify_log import is_proof, verify_log, verify_proof
from cardtrail.services.cli.audit.verify_log_text import log_lines, proof_lines
from cardtrail.services.cli.live.config import load_settings
from cardtrail.services.cli.live.tracker import on_tracker
from cardtrail.services.cli.outputs.verify_log import VerifyLogOutput, VerifyProofOutput
from cardtrail.services.cli.shell.console import Console
from cardtrail.services.ledger.note import Verifier


class Asked(NamedTuple):
    """What is to be verified, by which keys, beside which heads."""

    bundle: Path | None
    proof: str | None
    keys: tuple[str, ...]
    elsewhere: tuple[Path, ...]


def run(console: Console, config: Path | None, asked: Asked) -> int:
    """Verify, print, and say by the exit code whether it is so."""
    if asked.proof is not None:
        told = VerifyProofOutput(
            format="cardtrail.verify-proof/1",
            file=asked.proof,
            proof=verify_proof(asked.proof, trusted(asked.keys, load_settings(config))),
        )
        _print(console, told.model_dump(mode="json"), list(proof_lines(told, console.out)))
        return 0 if told.good else 1
    if asked.bundle is not None:
        keys = trusted(asked.keys, load_settings(config))
        found = _bundle(asked.bundle, keys, asked.elsewhere)
        _print(console, found.model_dump(mode="json"), list(log_lines(found, console.out, bundle=True)))
        return 0 if found.good else 1
    found = on_tracker(config, lambda tracker: verify_log(tracker, asked.keys, asked.elsewhere, console.progress))
    _print(console, found.model_dump(mode="json"), list(log_lines(found, console.out)))
    return 0 if found.good else 1


def _bundle(place: Path, keys: Sequence[Verifier], elsewhere: Sequence[Path]) -> VerifyLogOutput:
    try:
        return verify_bundle(place, keys, elsewhere)
    except InputRefused as refusal:
        if refusal.code == "bundle-unreadable" and place.is_file() and is_proof(str(place)):
            hint = f"cardtrail verify-log --proof {place}"
            raise InputRefused(
                refusal.code, "no bundle, but a proof of one fact", hint=hint, file=str(place)
            ) from refusal
        raise


def _print(console: Console, document: object, lines: list[str]) -> None:
    if console.json:
        console.document(document)
    else:
        console.lines(*lines)
