"""`cardtrail restore`: a backup into a broker without a log."""

import os
from pathlib import Path

import click

from cardtrail.services.cli.formats.words import counted
from cardtrail.services.cli.live.config import config_option, load_settings
from cardtrail.services.cli.shell.command import command
from cardtrail.services.cli.shell.console import Console


@command(
    "restore",
    "cardtrail restore /backups/2026-11-30",
    "CARDTRAIL_DATA=restored cardtrail restore /backups/2026-11-30",
    "NATS_URL=nats://broker:4222 cardtrail restore /backups/2026-11-30 --json",
)
@click.argument("folder", type=click.Path(path_type=Path, exists=True), help="A folder that backup has written.")
@config_option
def run(console: Console, folder: Path, *, config: Path | None) -> None:
    """Restore a backup where there is no log: sequences, times and bodies are those they were.

    Then `cardtrail up`: buckets and archive are rebuilt from the log, nothing is decided or told a second time.
    """
    from cardtrail.services.bus.streams import sizes_for  # noqa: PLC0415 — help needs no broker library
    from cardtrail.services.cli.audit.backing_up import bring_back  # noqa: PLC0415 — same
    from cardtrail.services.data_folder import prepare  # noqa: PLC0415 — same

    settings = load_settings(config)
    sizes = sizes_for(prepare(settings.broker, os.environ))
    found = bring_back(folder, settings, sizes, console.progress)
    if console.json:
        console.document(found.model_dump(mode="json"))
        return
    for one in found.streams:
        console.lines(f"{one.stream}  {counted(one.messages, 'message')}, {one.first} to {one.last}")
    console.hint("next: cardtrail up, then cardtrail replay once it has caught up")
