"""`cardtrail untrack`: watch an agent no more."""

from pathlib import Path

import click

from cardtrail.services.cli.live.config import config_option
from cardtrail.services.cli.live.telling import actor, by_option, say
from cardtrail.services.cli.shell.command import command
from cardtrail.services.cli.shell.console import Console


@command(
    "untrack",
    "cardtrail untrack pricing",
    "cardtrail untrack https://pricing.partner.example --reason 'contract ended'",
    "cardtrail untrack pricing --principal travel-desk",
)
@click.argument("agent", help="Its name, or where it was found.")
@click.option("--principal", "principals", multiple=True, metavar="WHO", help="Only for them; default for all.")
@click.option("--reason", default="", help="Why, for the log.")
@by_option
@config_option
def run(  # noqa: PLR0913 — a command's options
    console: Console, agent: str, *, principals: tuple[str, ...], reason: str, by: str | None, config: Path | None
) -> None:
    """Watch an agent no more. What is known of it stays, and so do the locks on it."""
    from cardtrail.services.cli.live.ending import untrack  # noqa: PLC0415 — help needs no broker library
    from cardtrail.services.cli.live.tracker import on_tracker  # noqa: PLC0415 — same

    found = on_tracker(config, lambda tracker: untrack(tracker, agent, principals, reason, actor(by)))
    say(console, found, "nothing new: it was not watched")
