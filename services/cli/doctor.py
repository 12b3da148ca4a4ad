"""`cardtrail doctor`: is the tracker itself healthy?"""

from pathlib import Path

import click

from cardtrail.services.cli.live.config import config_option
from cardtrail.services.cli.shell.command import command
from cardtrail.services.cli.shell.console import Console


@command("doctor", "cardtrail doctor", "cardtrail doctor --all", "cardtrail doctor --json > ticket.json")
@click.option("--all", "everything", is_flag=True, help="Also what is well.")
@config_option
def run(console: Console, *, everything: bool, config: Path | None) -> int:
    """Look the tracker over: broker, log, services, agents, locks, keys; each trouble with its fix.

    Exit 1 where something failed. It changes nothing.
    """
    from cardtrail.services.cli.live.doctor_text import lines  # noqa: PLC0415 — help needs no broker library
    from cardtrail.services.cli.live.examination import examine  # noqa: PLC0415 — same

    found = examine(config)
    if console.json:
        console.document(found.model_dump(mode="json"))
    else:
        console.lines(*lines(found, console.out, everything=everything))
    return 1 if found.failed else 0
