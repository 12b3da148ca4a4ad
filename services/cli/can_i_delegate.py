"""`cardtrail can-i-delegate`: the planner's question at a terminal or in a pipeline."""

from pathlib import Path

import click

from cardtrail.events.errors import UsageError
from cardtrail.services.cli.live.config import config_option
from cardtrail.services.cli.live.when import Span
from cardtrail.services.cli.shell.command import command
from cardtrail.services.cli.shell.console import Console


@command(
    "can-i-delegate",
    "cardtrail can-i-delegate trip-planner --skill itinerary-pricing",
    "cardtrail can-i-delegate --workflow trip-planner --any --wait 60s",
    "cardtrail can-i-delegate --json",
)
@click.argument("workflow", required=False, help="The workflow; without one, all workflows × agents (exit 0).")
@click.option("--workflow", "named", metavar="WORKFLOW", help="The same as an option.")
@click.option("--skill", metavar="ID", help="Only this skill, as the lock names it; default all of them.")
@click.option(
    "--any", "anybody", is_flag=True, help="Another candidate will do, too; else it must be the lock's own agent."
)
@click.option("--wait", "wait_s", type=Span(), default="0s", help="How long to wait while something is unknown.")
@config_option
def run(  # noqa: PLR0913 — a command's options
    console: Console,
    workflow: str | None,
    *,
    named: str | None,
    skill: str | None,
    anybody: bool,
    wait_s: int,
    config: Path | None,
) -> int:
    """Say whether a workflow may delegate now, to whom, and why not to others.

    Exit 0 where it may, 1 where it may not or nobody knows yet.
    """
    from cardtrail.services.cli.live.delegating import can_i_delegate  # noqa: PLC0415 — help needs no broker library
    from cardtrail.services.cli.live.delegating_text import lines, matrix  # noqa: PLC0415 — same
    from cardtrail.services.cli.live.tracker import on_tracker  # noqa: PLC0415 — same

    chosen = workflow or named
    if chosen is None and skill is not None:
        raise UsageError("usage", "--skill goes with a workflow", hint="cardtrail can-i-delegate WORKFLOW --skill ID")
    found = on_tracker(config, lambda on: can_i_delegate(on, chosen, skill, wait_s=wait_s, anybody=anybody))
    if console.json:
        console.document(found.model_dump(mode="json"))
    else:
        said = matrix(found, console.out) if chosen is None else lines(found, console.out, anybody=anybody)
        console.lines(*said)
    return 1 if found.allowed is False else 0
