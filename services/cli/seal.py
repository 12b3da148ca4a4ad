"""`cardtrail seal`: a signed head of the log, now; or the key that signs."""

from pathlib import Path

import click

from cardtrail.services.cli.live.config import config_option
from cardtrail.services.cli.shell.command import command
from cardtrail.services.cli.shell.console import Console


@command(
    "seal",
    "cardtrail seal",
    "cardtrail seal > /elsewhere/tracker.checkpoint",
    "cardtrail seal --new-key seal.key --origin tracker.example/cardtrail",
)
@click.option("--new-key", "file", type=click.Path(path_type=Path), help="Make a signing key, for [seal] key, instead.")
@click.option("--origin", default="cardtrail", help="With --new-key: the log's name, best a host of yours and a path.")
@config_option
def run(console: Console, *, file: Path | None, origin: str, config: Path | None) -> None:
    """Sign the head of the log now, and print it to be kept where nobody who can alter the log can alter it.

    The projector signs, every so often by itself; with --new-key, a signing key is made and its verifier key printed.
    """
    from cardtrail.services.cli.audit.sealing import new_key, seal  # noqa: PLC0415 — help needs no broker library
    from cardtrail.services.cli.live.tracker import on_tracker  # noqa: PLC0415 — same

    if file is not None:
        key = new_key(file, origin)
        if console.json:
            console.document(key.model_dump(mode="json"))
        else:
            console.hint(f'the signing key is in {file}; in the settings: [seal] key = "{file}". To verify:')
            console.lines(key.verifier)
        return
    found = on_tracker(config, seal)
    if console.json:
        console.document(found.model_dump(mode="json"))
    else:
        console.lines(*found.note.split("\n")[:-1])
