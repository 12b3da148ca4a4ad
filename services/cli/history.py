"""`cardtrail history`: what happened to an agent, in order."""

from datetime import UTC, datetime
from pathlib import Path

import click

from cardtrail.services.cli.live.config import config_option
from cardtrail.services.cli.live.when import When
from cardtrail.services.cli.shell.command import command
from cardtrail.services.cli.shell.console import Console


@command(
    "history",
    "cardtrail history pricing",
    "cardtrail history https://pricing.partner.example --since 3d --all",
    "cardtrail history pricing --as-of 2026-11-29T00:00Z",
)
@click.argument("agent", help="Its name, or where it was found.")
@click.option("--since", type=When(), help="Only what is on the log since then.")
@click.option("--as-of", "at", type=When(), help="Only what was known then.")
@click.option("--principal", metavar="WHO", help="Only what they see; default everybody.")
@click.option("--all", "everything", is_flag=True, help="Also what changed nothing, as unchanged answers.")
@config_option
def run(  # noqa: PLR0913 — a command's options
    console: Console,
    agent: str,
    *,
    since: datetime | None,
    at: datetime | None,
    principal: str | None,
    everything: bool,
    config: Path | None,
) -> None:
    """Tell what happened to an agent, in stream order, newest last, times in UTC.

    What follows from a card at once stands beside it: the capabilities that changed, which `blame` takes, and the decisions.
    The numbers are those of the line's facts, which `explain`, `prove` and `redact` take.
    """
    from cardtrail.services.cli.live.history_text import lines  # noqa: PLC0415 — help needs no broker library
    from cardtrail.services.cli.live.past import history  # noqa: PLC0415 — same
    from cardtrail.services.cli.live.tracker import on_tracker  # noqa: PLC0415 — same

    found = on_tracker(config, lambda on: history(on, agent, principal, since, at, everything=everything))
    if console.json:
        console.document(found.model_dump(mode="json"))
    else:
        console.lines(*lines(found, console.out, datetime.now(UTC)))
