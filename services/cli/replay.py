"""`cardtrail replay`: is what is kept what the log says?"""

from pathlib import Path

import click

from cardtrail.services.cli.audit.options import Otherwise, what_if_options
from cardtrail.services.cli.live.config import config_option
from cardtrail.services.cli.shell.command import command
from cardtrail.services.cli.shell.console import Console


@command(
    "replay",
    "cardtrail replay --verify",
    "cardtrail replay --repair --projection lockfile_status --principal public",
    "cardtrail replay --rules stricter.toml",
)
@click.option("--projection", "named", multiple=True, metavar="NAME", help="Only this one; duckdb is the archive.")
@click.option("--principal", metavar="WHO", help="Only what they see; default everybody.")
@click.option(
    "--repair", is_flag=True, help="Put the rebuilt ones in force; stop cardtrail up, or the projector, first."
)
@click.option("--verify", is_flag=True, help="Also judge again: are the decisions told those that follow from the log?")
@click.option("--parked", "held_back", is_flag=True, help="Instead: have the services try what they hold back again.")
@what_if_options
@config_option
def run(  # noqa: PLR0913 — a command's options
    console: Console,
    *,
    named: tuple[str, ...],
    principal: str | None,
    repair: bool,
    verify: bool,
    held_back: bool,
    otherwise: Otherwise,
    config: Path | None,
) -> int:
    """Rebuild every projection from the log and compare it with what is kept.

    Exit 1 where one differs. A replay tells nobody, probes nothing and asks no agent; with --repair, watchers see only what
    differs, and the archive gets a new generation. With --rules, --client or --recompile: which past verdicts would differ.
    With --parked: facts that could not be applied are tried again, in order, while all goes on; exit 1 where some are left.
    """
    from cardtrail.services.cli.audit.replayed import replayed, supposed  # noqa: PLC0415 — help needs no broker library
    from cardtrail.services.cli.live.parked import parked  # noqa: PLC0415 — same

    if held_back:
        return parked(console, config)
    if any(otherwise):
        return supposed(console, config, otherwise)
    return replayed(console, config, named, principal, verify=verify, repair=repair)
