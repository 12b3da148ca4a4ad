"""`cardtrail watch`: changes as they are decided."""

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cardtrail.services.cli.live.config import config_option
from cardtrail.services.cli.live.when import When
from cardtrail.services.cli.shell.command import command
from cardtrail.services.cli.shell.console import Console, flush

if TYPE_CHECKING:
    from cardtrail.services.cli.live.decisions import Seen


@command(
    "watch",
    "cardtrail watch --workflow trip-planner",
    "cardtrail watch --agent pricing --since 1d",
    "cardtrail watch --json | jq -c 'select(.verdict==\"breaking\")'",
)
@click.option("--workflow", help="Only decisions about this workflow.")
@click.option("--agent", help="Only decisions about this agent.")
@click.option("--since", type=When(), help="Begin with what was decided since then.")
@config_option
def run(
    console: Console, *, workflow: str | None, agent: str | None, since: datetime | None, config: Path | None
) -> None:
    """Print changes as they are decided, until Ctrl-C.

    A restart of the broker is told and loses nothing. With --json: JSON Lines, one object per decision.
    """
    from cardtrail.services.cli.live.decisions import About, watch  # noqa: PLC0415 — help needs no broker library
    from cardtrail.services.cli.live.tracker import on_tracker  # noqa: PLC0415 — same
    from cardtrail.services.cli.live.watch_text import line  # noqa: PLC0415 — same

    def tell(seen: "Seen") -> None:
        console.progress("")
        if console.json:
            console.document_line(seen.model_dump(mode="json"))
        elif seen.what in {"lost", "back"}:
            console.hint(line(seen, console.err, datetime.now(UTC), one_workflow=True))
        else:
            console.lines(line(seen, console.out, datetime.now(UTC), one_workflow=workflow is not None))
        flush()

    on_tracker(config, lambda tracker: watch(tracker, About(workflow, agent, since), tell, console.progress))
