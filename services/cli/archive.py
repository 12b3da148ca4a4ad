"""`cardtrail archive`: the history as Parquet files."""

from pathlib import Path

import click

from cardtrail.events.errors import UsageError
from cardtrail.services.cli.live.config import config_option
from cardtrail.services.cli.shell.command import command
from cardtrail.services.cli.shell.console import Console
from cardtrail.services.cli.shell.text import plain


@command(
    "archive",
    "cardtrail archive -o facts",
    "cardtrail archive -o /mnt/lake/cardtrail --json",
    "cardtrail archive -o facts --config /etc/cardtrail.toml",
)
@click.option("-o", "--output", metavar="DIR", required=True, help="The folder; a later run adds what is new.")
@config_option
def run(console: Console, output: str, *, config: Path | None) -> None:
    """Write the history as Parquet, a file for each day and kind of fact, with a manifest of rows and digests.

    Days go by the broker's time: one that has passed never changes, and the same facts give the same bytes. Works while the
    tracker runs and when it does not.
    """
    from cardtrail.projections.store_archive import archive  # noqa: PLC0415 — help needs no database
    from cardtrail.services.cli.analysis.source import on_snapshot  # noqa: PLC0415 — same
    from cardtrail.services.cli.outputs.archive import ArchiveOutput  # noqa: PLC0415 — same

    try:
        done, note = on_snapshot(config, lambda snapshot: archive(snapshot, Path(output)))
    except OSError as error:
        raise UsageError("output-unwritable", f"cannot be written: {error.strerror}", file=output) from error
    if console.json:
        told = ArchiveOutput(format="cardtrail.archive/1", folder=output, **done._asdict())
        console.document(told.model_dump(mode="json"))
        return
    where = plain(output)
    console.lines(f"{done.facts:,} facts in {done.files:,} files under {where}, {done.written:,} of them written now")
    console.hint(*([note] if note else []), f"as of fact {done.through:,}")
