"""`cardtrail prove`: that a fact stands in the sealed log."""

from pathlib import Path

import click

from cardtrail.services.cli.live.config import config_option
from cardtrail.services.cli.shell.command import command
from cardtrail.services.cli.shell.console import Console


@command(
    "prove",
    "cardtrail prove 4711 -o fact.proof.json",
    "cardtrail prove 9f3c2a71 --older /elsewhere/seal --json",
    "cardtrail verify-log --proof fact.proof.json --key tracker.pub",
)
@click.argument("fact", help="Its sequence, or the beginning of its id.")
@click.option("-o", "--output", metavar="FILE", help="Write the proof there; default stdout.")
@click.option(
    "--older", type=click.Path(path_type=Path, exists=True), help="Also prove a head kept elsewhere: a file or folder."
)
@config_option
def run(console: Console, fact: str, *, output: str | None, older: Path | None, config: Path | None) -> None:
    """Prove that a fact stands in the log under its newest signed head, in a file that anybody can check without the log.

    With --older, also that the log then was a beginning of the log now: nothing before it was altered, taken out or put in.
    """
    from cardtrail.services.cli.audit.prove import prove  # noqa: PLC0415 — help needs no broker library
    from cardtrail.services.cli.live.tracker import on_tracker  # noqa: PLC0415 — same
    from cardtrail.services.cli.shell.console import as_json  # noqa: PLC0415 — same
    from cardtrail.services.cli.shell.outfile import write_text  # noqa: PLC0415 — same

    found = on_tracker(config, lambda tracker: prove(tracker, fact, older, console.progress))
    told = found.model_dump(mode="json")
    if output is None:
        console.document(told)
        return
    write_text(output, as_json(told) + "\n")
    if console.json:
        console.document(told)
    else:
        console.lines(f"fact {found.sequence} is leaf {found.index} under the head in {output}")
