"""`cardtrail status`: where each lock stands."""

from pathlib import Path

import click

from cardtrail.services.cli.live.config import config_option
from cardtrail.services.cli.shell.command import OneOf, command
from cardtrail.services.cli.shell.console import Console


@command(
    "status",
    "cardtrail status",
    "cardtrail status --workflow trip-planner --fail-on review",
    "cardtrail status --json",
)
@click.option("--workflow", help="Only the locks of this workflow.")
@click.option(
    "--fail-on",
    type=OneOf(["review", "breaking"]),
    help="Exit 1 where a lock is this or worse; a review counts while something in it is not acknowledged.",
)
@config_option
def run(console: Console, *, workflow: str | None, fail_on: str | None, config: Path | None) -> int:
    """Say where each lock stands: verdict, since when, what is open.

    CARD is the age of the agent's last answer, EVIDENCE of the last probe that showed whether a needed claim holds. A note
    names each lock whose every fallback is stopped itself. A service that does not keep what is shown is named, with what to do.
    """
    from cardtrail.services.cli.live.standing import status  # noqa: PLC0415 — help needs no broker library
    from cardtrail.services.cli.live.status_text import lines  # noqa: PLC0415 — same
    from cardtrail.services.cli.live.tracker import on_tracker  # noqa: PLC0415 — same

    found = on_tracker(config, lambda tracker: status(tracker, workflow))
    if console.json:
        console.document(found.model_dump(mode="json"))
    else:
        console.lines(*lines(found, console.out))
    failing = {"breaking"} if fail_on == "breaking" else {"breaking", "review"} if fail_on else set()
    bad = [lock for lock in found.locks if lock.verdict in failing and (lock.open or lock.verdict == "breaking")]
    return 1 if bad else 0
