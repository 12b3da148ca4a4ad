"""`cardtrail explain`: why a decision fell."""

from datetime import UTC, datetime
from pathlib import Path

import click

from cardtrail.services.cli.live.config import config_option
from cardtrail.services.cli.shell.command import command
from cardtrail.services.cli.shell.console import Console


@command(
    "explain",
    "cardtrail explain trip-planner",
    "cardtrail explain 4711",
    "cardtrail explain 9f3c2a71 --json",
)
@click.argument("decision", help="Its sequence, the beginning of its id, or a workflow: its newest one.")
@config_option
def run(console: Console, decision: str, *, config: Path | None) -> None:
    """Explain a decision: each finding with its rule, before and now, since when, and the facts it rests on.

    The chain ends in the served card: the body's digest, and the line in it where the member stands.
    """
    from cardtrail.services.cli.audit.explain import explain  # noqa: PLC0415 — help needs no broker library
    from cardtrail.services.cli.audit.explain_text import lines  # noqa: PLC0415 — same
    from cardtrail.services.cli.live.tracker import on_tracker  # noqa: PLC0415 — same

    found = on_tracker(config, lambda tracker: explain(tracker, decision))
    if console.json:
        console.document(found.model_dump(mode="json"))
    else:
        console.lines(*lines(found, console.out, datetime.now(UTC)))
