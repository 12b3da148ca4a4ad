"""`cardtrail backup`: everything that cannot be rebuilt."""

from pathlib import Path

import click

from cardtrail.services.cli.formats.words import counted
from cardtrail.services.cli.live.config import config_option
from cardtrail.services.cli.shell.command import command
from cardtrail.services.cli.shell.console import Console


@command(
    "backup",
    "cardtrail backup /backups/2026-11-30",
    "CARDTRAIL_DATA=restored cardtrail restore /backups/2026-11-30",
    "nats stream restore /backups/2026-11-30/CARDTRAIL_FACTS",
)
@click.argument("folder", type=click.Path(path_type=Path), help="Where the streams go; it is made.")
@config_option
def run(console: Console, folder: Path, *, config: Path | None) -> None:
    """Back up the log, the bodies and the reports, while the tracker runs, as NATS itself writes streams.

    Buckets and the archive are not in it: the log rebuilds them. Keep the settings, the keys and the sealer's folder too.
    """
    from cardtrail.services.cli.audit.backing_up import back_up  # noqa: PLC0415 — help needs no broker library
    from cardtrail.services.cli.live.tracker import on_tracker  # noqa: PLC0415 — same

    found = on_tracker(config, lambda tracker: back_up(tracker, folder, console.progress))
    if console.json:
        console.document(found.model_dump(mode="json"))
        return
    for one in found.streams:
        console.lines(
            f"{one.stream}  {counted(one.messages, 'message')}, {one.first} to {one.last}  {one.size:,} bytes"
        )
