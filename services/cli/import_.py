"""`cardtrail import`: an exported slice of a log, to be asked like the log it came from."""

import os
from pathlib import Path

import click

from cardtrail.services.cli.formats.words import counted
from cardtrail.services.cli.live.config import config_option, load_settings
from cardtrail.services.cli.shell.command import command
from cardtrail.services.cli.shell.console import Console


@command(
    "import",
    "cardtrail import incident.tar.gz",
    "CARDTRAIL_DATA=incident cardtrail import incident.tar.gz",
    "NATS_URL=nats://lab:4222 cardtrail import incident --json",
)
@click.argument("bundle", type=click.Path(path_type=Path, exists=True), help="A folder or tar that export made.")
@config_option
def run(console: Console, bundle: Path, *, config: Path | None) -> None:
    """Import a bundle into an empty log, under the sequences and times it had: blame, explain and history answer as there.

    Without a running broker one is started for it on the data folder. Then `cardtrail up --audit` serves it, and fetches,
    decides and tells nothing.
    """
    from cardtrail.services.bus.streams import sizes_for  # noqa: PLC0415 — help needs no broker library
    from cardtrail.services.cli.audit.importing import import_bundle  # noqa: PLC0415 — same
    from cardtrail.services.data_folder import prepare  # noqa: PLC0415 — same

    settings = load_settings(config)
    sizes = sizes_for(prepare(settings.broker, os.environ))
    found = import_bundle(bundle, settings, sizes, console.progress)
    if console.json:
        console.document(found.model_dump(mode="json"))
    else:
        console.lines(
            f"{counted(found.facts, 'fact')} and {counted(found.bodies, 'body')}, facts {found.known_from} to {found.through}"
        )
        console.hint("next: cardtrail up --audit, then cardtrail blame, explain, history, show --as-of")
