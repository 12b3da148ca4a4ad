"""`cardtrail track`: watch an agent, and hold it to a lock."""

from pathlib import Path

import click

from cardtrail.events.errors import UsageError
from cardtrail.services.cli.live.config import config_option
from cardtrail.services.cli.live.telling import actor, by_option, say
from cardtrail.services.cli.live.track_options import How, how_options
from cardtrail.services.cli.shell.command import command
from cardtrail.services.cli.shell.console import Console


@command(
    "track",
    "cardtrail track https://pricing.partner.example --name pricing",
    "cardtrail track --lock trip.lock.json",
    "cardtrail track http://10.1.2.3:8000 --name quotes --cleartext --network 10.0.0.0/8 --every 5m",
)
@click.argument("target", default="", help="A domain, a base URL, a card's URL or a file; none with --lock alone.")
@click.option("--lock", "locks", multiple=True, metavar="FILE", help="Also pin this lock: judge the agent by it.")
@click.option("--workflow", default="", help="The workflow of a lock that names none.")
@how_options
@by_option
@config_option
def run(  # noqa: PLR0913 — a command's options
    console: Console,
    target: str,
    *,
    locks: tuple[str, ...],
    workflow: str,
    how: How,
    by: str | None,
    config: Path | None,
) -> None:
    """Watch an agent from now on; with --lock, judge it by what a workflow needs.

    A lock alone is enough where it names its agent by URL or by the name it is tracked under. `cardtrail pin` makes a lock,
    `cardtrail release` takes it back. What the log says already is not told again.
    """
    from cardtrail.services.cli.live.tracker import on_tracker  # noqa: PLC0415 — help needs no broker library
    from cardtrail.services.cli.live.watching import watch  # noqa: PLC0415 — same
    from cardtrail.services.cli.shell.locks import open_lock  # noqa: PLC0415 — same

    if not target and not locks:
        raise UsageError("argument-missing", "nothing to watch", hint="cardtrail track TARGET, or --lock FILE")
    opened = [open_lock(file) for file in locks]
    wanted = how.wanted(target) if target else None
    found = on_tracker(config, lambda tracker: watch(tracker, wanted, opened, workflow, actor(by)))
    say(console, found, "nothing new: the log says so already")
