"""`cardtrail agents`: who is watched, and how it stands."""

from pathlib import Path

import click

from cardtrail.services.cli.live.config import config_option
from cardtrail.services.cli.shell.command import command
from cardtrail.services.cli.shell.console import Console


@command("agents", "cardtrail agents", "cardtrail agents pricing", "cardtrail agents --all --json")
@click.argument("text", default="", help="What must stand in its name, place or provider.")
@click.option("--all", "everything", is_flag=True, help="Also those that are watched no more.")
@config_option
def run(console: Console, text: str, *, everything: bool, config: Path | None) -> None:
    """List who is watched, how it stands, and how many locks depend on it.

    LOCKS `0 +1 as fallback`: one workflow's lock names it as a fallback, and judges it; it has no lock of its own.
    """
    from cardtrail.services.cli.live.tracker import on_tracker  # noqa: PLC0415 — help needs no broker library
    from cardtrail.services.cli.live.watched import agents, lines  # noqa: PLC0415 — same

    found = on_tracker(config, lambda tracker: agents(tracker, text, everything=everything))
    if console.json:
        console.document(found.model_dump(mode="json"))
    else:
        console.lines(*lines(found, console.out))
