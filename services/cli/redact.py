"""`cardtrail redact`: a stored card is deleted for good, and the log says so."""

from pathlib import Path

import click

from cardtrail.services.cli.live.config import config_option
from cardtrail.services.cli.live.telling import actor, by_option
from cardtrail.services.cli.shell.command import command
from cardtrail.services.cli.shell.console import Console


@command(
    "redact",
    "cardtrail redact 4711 --reason 'names a person'",
    "cardtrail redact 9f3c2a71 --reason 'asked to by the provider' --by mira",
    "cardtrail redact 4711 --reason 'names a person' --json",
)
@click.argument("fact", help="A look at the card: its sequence, or the beginning of its id.")
@click.option("--reason", required=True, help="Why, for the log.")
@by_option
@config_option
def run(console: Console, fact: str, *, reason: str, by: str | None, config: Path | None) -> None:
    """Delete the stored bytes of a card for good. They go as one principal was shown them; other copies are named.

    What stays: names, provider, URLs and tags in profiles and decisions, facts and digests, and the bytes in backups and bundles
    made before. An agent that serves the same bytes again has them kept again: untrack it first.
    """
    from cardtrail.services.cli.live.redacting import lines, redact  # noqa: PLC0415 — help needs no broker library
    from cardtrail.services.cli.live.tracker import on_tracker  # noqa: PLC0415 — same

    found = on_tracker(config, lambda tracker: redact(tracker, fact, reason, actor(by)))
    if console.json:
        console.document(found.model_dump(mode="json"))
    else:
        console.lines(*lines(found, console.out))
        console.hint(*(f"note: {note}" for note in found.notes))
