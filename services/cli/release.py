"""`cardtrail release`: a workflow depends on an agent no more."""

from pathlib import Path

import click

from cardtrail.services.cli.live.config import config_option
from cardtrail.services.cli.live.telling import actor, by_option, say
from cardtrail.services.cli.shell.command import command
from cardtrail.services.cli.shell.console import Console


@command(
    "release",
    "cardtrail release trip-planner",
    "cardtrail release trip-planner pricing --reason 'moved to fares'",
    "cardtrail release trip-planner --by mira",
)
@click.argument("workflow", help="Its name, as `cardtrail status` shows it.")
@click.argument("agent", default="", help="Only the lock on this agent.")
@click.option("--reason", default="", help="Why, for the log.")
@by_option
@config_option
def run(  # noqa: PLR0913 — a command's options
    console: Console, workflow: str, agent: str, *, reason: str, by: str | None, config: Path | None
) -> None:
    """Withdraw a workflow's locks: the one on AGENT, or all of them. The agents stay watched."""
    from cardtrail.services.cli.live.ending import release  # noqa: PLC0415 — help needs no broker library
    from cardtrail.services.cli.live.tracker import on_tracker  # noqa: PLC0415 — same

    found = on_tracker(config, lambda tracker: release(tracker, workflow, agent, reason, actor(by)))
    say(console, found, "nothing new: there was no lock")
