"""`cardtrail report`: which providers keep their word."""

from pathlib import Path

import click

from cardtrail.services.cli.analysis.since import Beginning, Since
from cardtrail.services.cli.live.config import config_option
from cardtrail.services.cli.shell.command import command
from cardtrail.services.cli.shell.console import Console


@command(
    "report",
    "cardtrail report -o report.html",
    "cardtrail report --provider partner.example --since 90d -o partner.html --markdown partner.md",
    "cardtrail report --json",
)
@click.option("--provider", default="", help="Only this one: its label, or the registrable domain of its agents.")
@click.option("--principal", metavar="WHO", default="public", help="As who sees them; default public.")
@click.option("--since", "beginning", type=Since(), help="Count from then on; 90d is before the last fact.")
@click.option("--through", type=click.IntRange(1), metavar="FACT", help="As it was when this fact was the last.")
@click.option("-o", "--output", metavar="FILE", default="", help="Write one HTML file, everything inside.")
@click.option("--markdown", metavar="FILE", default="", help="Write Markdown.")
@config_option
def run(  # noqa: PLR0913 — a command's options
    console: Console,
    *,
    provider: str,
    principal: str,
    beginning: Beginning | None,
    through: int | None,
    output: str,
    markdown: str,
    config: Path | None,
) -> None:
    """Say which providers keep their word: availability, claims, errors, changes, notice, recovery, latency.

    Every share and rate comes with the interval it is uncertain by. The same log gives the same bytes: no clock counts but
    the log's own. Charts need the extra cardtrail[report]; without it all tables remain.
    """
    from cardtrail.services.cli.analysis.reported import Wanted, report  # noqa: PLC0415 — help needs no database

    report(console, Wanted(provider, principal, beginning, through or 0, output, markdown, config))
