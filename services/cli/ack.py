"""`cardtrail ack`: a person accepts a finding."""

from datetime import datetime
from pathlib import Path

import click

from cardtrail.services.cli.live.config import config_option
from cardtrail.services.cli.live.telling import actor, by_option, say
from cardtrail.services.cli.live.when import When
from cardtrail.services.cli.shell.command import command
from cardtrail.services.cli.shell.console import Console


@command(
    "ack",
    "cardtrail ack 5d7e02b19c44 --reason 'agreed with the partner' --until 2126-12-15",
    "cardtrail ack 5d7e02b1 3f0a91c2 --reason 'known, harmless' --by mira",
    "cardtrail ack 5d7e02b19c44 --workflow trip-planner --reason 'under test' --until 14d",
)
@click.argument(
    "fingerprints", nargs=-1, required=True, metavar="FINGERPRINT...", help="Its first characters, 4 at least."
)
@click.option("--workflow", help="Look only among this workflow's findings.")
@click.option("--reason", required=True, help="Why, for the log and for those who ask later.")
@click.option("--until", type=When(ahead=True), help="When it ends; default while the same change stands.")
@by_option
@config_option
def run(  # noqa: PLR0913 — a command's options
    console: Console,
    fingerprints: tuple[str, ...],
    *,
    workflow: str | None,
    reason: str,
    until: datetime | None,
    by: str | None,
    config: Path | None,
) -> None:
    """Accept open findings, while the same change stands and no longer.

    It silences them, and lets a review through. It never turns breaking into allow: that takes the agent, or a lock that needs
    less.
    """
    from cardtrail.services.cli.live.ending import acknowledge  # noqa: PLC0415 — help needs no broker library
    from cardtrail.services.cli.live.tracker import on_tracker  # noqa: PLC0415 — same

    by = actor(by)
    found = on_tracker(config, lambda tracker: acknowledge(tracker, fingerprints, workflow, reason, until, by))
    say(console, found, "nothing to accept")
