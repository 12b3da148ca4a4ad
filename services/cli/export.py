"""`cardtrail export`: a slice of the log to take away."""

import secrets
from datetime import datetime
from pathlib import Path

import click

from cardtrail.services.cli.live.config import config_option
from cardtrail.services.cli.live.when import When
from cardtrail.services.cli.shell.command import command
from cardtrail.services.cli.shell.console import Console


@command(
    "export",
    "cardtrail export --agent pricing --since 3d -o incident.tar.gz",
    "cardtrail export --agent pricing --principal public --principal travel-desk -o incident",
    "cardtrail export --full -o whole-log.tar.gz",
)
@click.option(
    "-o", "--output", "target", required=True, type=click.Path(path_type=Path), help="A folder, or a .tar or .tar.gz."
)
@click.option("--agent", "agents", multiple=True, metavar="AGENT", help="Only what is about it; default the whole log.")
@click.option("--principal", "principals", multiple=True, metavar="WHO", help="What they see; default public.")
@click.option("--since", type=When(), help="From then on, and what the facts then rest on.")
@click.option("--until", type=When(), help="Up to then.")
@click.option("--full", is_flag=True, help="Nothing redacted, everybody's facts, extended cards too.")
@config_option
def run(  # noqa: PLR0913 — a command's options
    console: Console,
    *,
    target: Path,
    agents: tuple[str, ...],
    principals: tuple[str, ...],
    since: datetime | None,
    until: datetime | None,
    full: bool,
    config: Path | None,
) -> None:
    """Export a slice of the log with the bodies it names and the proofs of its facts, in a bundle of JSON lines.

    People, channels, addresses and free words are replaced, extended cards left out, unless --full is given: the manifest
    counts both, `cardtrail help bundles` lists them.
    """
    from cardtrail.services.cli.audit.exporting import Wanted, export  # noqa: PLC0415 — help needs no broker library
    from cardtrail.services.cli.audit.exporting_text import lines, output  # noqa: PLC0415 — same
    from cardtrail.services.cli.live.tracker import on_tracker  # noqa: PLC0415 — same

    wanted = Wanted(agents, principals, since, until, None if full else secrets.token_bytes(32))
    found = on_tracker(config, lambda tracker: export(tracker, wanted, target, console.progress))
    if console.json:
        console.document(output(target, found))
    else:
        console.lines(*lines(target, found))
