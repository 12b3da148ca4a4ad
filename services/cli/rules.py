"""`cardtrail rules`: why a rule exists, how severe it is here and who set that; diagnostics and error codes too."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from cardtrail.services.cli.live.config import config_option
from cardtrail.services.cli.shell.command import command
from cardtrail.services.cli.shell.complete import rule_ids
from cardtrail.services.cli.shell.console import Console


@command(
    "rules",
    "cardtrail rules",
    "cardtrail rules input-mode-removed",
    "cardtrail rules --tag security --lock trip.lock.json",
)
@click.argument(
    "ids",
    nargs=-1,
    metavar="[ID]...",
    shell_complete=rule_ids,
    help="A rule, a diagnostic (CT017), an error code or a reason.",
)
@click.option("--tag", "tags", multiple=True, help="Only rules with this tag: a subject or a severity.")
@click.option("--lock", metavar="FILE", help="Severities in force for this lock, and where each was set.")
@click.option("--diagnostics", is_flag=True, help="The diagnostics of lint instead.")
@config_option
@click.option("--reasons", is_flag=True, help="The reasons of looks, tests, choices, signatures and so on instead.")
@click.option("--errors", is_flag=True, help="The error codes instead, with their exit codes.")
def run(  # noqa: PLR0913 — a command's options
    console: Console,
    ids: Sequence[str],
    *,
    tags: Sequence[str],
    lock: str | None,
    diagnostics: bool,
    errors: bool,
    reasons: bool,
    config: Path | None,
) -> None:
    """List and explain the rules, the diagnostics and the error codes.

    A rule judges a card against a lock; a diagnostic is about one card; an error code says why a command could not work, a
    reason why something else is as it is: a look, a test, a choice, a profile, a signature.
    """
    from cardtrail.services.cli.catalogue.entries import catalogue  # noqa: PLC0415 — completion reads this module
    from cardtrail.services.cli.formats.text_rules import entry_lines, table  # noqa: PLC0415 — same

    found: Any = catalogue(lock, config)
    found = found.named(ids) if ids else found.chosen(tags, diagnostics=diagnostics, errors=errors, reasons=reasons)
    if console.json:
        console.document(found.output().model_dump(mode="json"))
    elif ids:
        console.lines(*entry_lines(found, console.out))
    else:
        console.lines(*table(found, console.out))
