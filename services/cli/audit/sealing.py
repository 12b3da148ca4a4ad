"""Signing keys made, and a head asked for."""

import secrets
from pathlib import Path

from cardtrail.events.errors import Unreachable, UsageError
from cardtrail.services.bus.questions import ask
from cardtrail.services.cli.live.tracker import Tracker
from cardtrail.services.cli.outputs.seal import NewKeyOutput, SealOutput
from cardtrail.services.ledger.note import signer
from cardtrail.services.projector.seal import QUESTION
from cardtrail.services.secret_file import new_secret_file

_WAITS_S = 40.0


def new_key(file: Path, origin: str) -> NewKeyOutput:
    """A new signing key in a file that only its owner reads.

    Raises:
        UsageError: `key-unfit`, `output-unwritable`.
    """
    key = signer(origin, secrets.token_bytes(32))
    new_secret_file(file, key.secret())
    return NewKeyOutput(format="cardtrail.seal-key/1", file=str(file), verifier=str(key.verifier))


async def seal(tracker: Tracker) -> SealOutput:
    """The head over everything that is on the log now.

    Raises:
        UsageError: `not-sealed`, no sealer is at work.
    """
    try:
        told = await ask(tracker.bus, QUESTION, {"through": tracker.log.last}, within_s=_WAITS_S)
    except Unreachable as error:
        hint = "[seal] key in the settings of the projector; cardtrail seal --new-key FILE makes one"
        if tracker.settings.seal.key is not None:
            hint = "[seal] key is set here, and the tracker was started before or elsewhere: restart it; else cardtrail doctor"
        raise UsageError("not-sealed", "no sealer is at work", hint=hint) from error
    return SealOutput(format="cardtrail.seal/1", through=told["through"], note=told["note"])
