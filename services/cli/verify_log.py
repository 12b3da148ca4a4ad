"""`cardtrail verify-log`: is the log the one that was sealed?"""

from pathlib import Path

import click

from cardtrail.services.cli.live.config import config_option
from cardtrail.services.cli.shell.command import command
from cardtrail.services.cli.shell.console import Console


@command(
    "verify-log",
    "cardtrail verify-log",
    "cardtrail verify-log --checkpoints /elsewhere/seal --key tracker.pub",
    "cardtrail verify-log incident.tar.gz --key tracker.pub",
)
@click.argument("bundle", required=False, type=click.Path(path_type=Path), help="An exported bundle; default the log.")
@click.option("--proof", metavar="FILE", help="Only this proof of one fact, as cardtrail prove made it.")
@click.option("--key", "keys", multiple=True, metavar="KEY", help="A verifier key, or its file; default the settings'.")
@click.option(
    "--checkpoints", "elsewhere", multiple=True, type=click.Path(path_type=Path, exists=True),
    help="Heads kept elsewhere, a file or the sealer's folder.",
)  # fmt: skip
@config_option
def run(  # noqa: PLR0913 — a command's options
    console: Console,
    bundle: Path | None,
    *,
    proof: str | None,
    keys: tuple[str, ...],
    elsewhere: tuple[Path, ...],
    config: Path | None,
) -> int:
    """Verify that the log is the one that was sealed: every fact, every signed head, those kept elsewhere too.

    Exit 1 where it is not, or no trusted key signed a head of it. The first altered fact is named where a record of the leaves is
    within reach.
    """
    from cardtrail.services.cli.audit import verifying  # noqa: PLC0415 — help needs no broker library

    return verifying.run(console, config, verifying.Asked(bundle, proof, keys, elsewhere))
