"""`cardtrail show`: what is known of one agent."""

from datetime import datetime
from pathlib import Path

import click

from cardtrail.services.cli.live.config import config_option
from cardtrail.services.cli.live.when import When
from cardtrail.services.cli.shell.command import command
from cardtrail.services.cli.shell.console import Console


@command(
    "show",
    "cardtrail show pricing --was 2026-11-29",
    "cardtrail show pricing --as-of 2026-11-29T00:00Z --against 2026-11-01",
    "cardtrail show https://pricing.partner.example --principal travel-desk --json",
)
@click.argument("agent", help="Its name, or where it was found.")
@click.option("--as-of", "at", type=When(), help="What was known then, from the log.")
@click.option("--was", "then", type=When(), help="What it was then, by what is known now (or was, --as-of).")
@click.option("--principal", metavar="WHO", help="As they see it; default public, or the only one there is.")
@click.option("--against", type=When(), help="Only what differs from what was known then.")
@click.option("--against-principal", "other", metavar="WHO", help="Only what differs from what they see.")
@config_option
def run(  # noqa: PLR0913 — a command's options
    console: Console,
    agent: str,
    *,
    at: datetime | None,
    then: datetime | None,
    principal: str | None,
    against: datetime | None,
    other: str | None,
    config: Path | None,
) -> None:
    """Show what is known of an agent: how it stands, its profile, evidence, and the locks on it.

    --as-of: as it was known then. --was: as it was then, and between which sights a value changed. With --against,
    --against-principal or both: what differs from that state to the one that is shown.
    """
    from cardtrail.services.cli.audit import compare, was  # noqa: PLC0415 — help needs no broker library
    from cardtrail.services.cli.live.known import show  # noqa: PLC0415 — same
    from cardtrail.services.cli.live.show_text import lines  # noqa: PLC0415 — same
    from cardtrail.services.cli.live.tracker import on_tracker  # noqa: PLC0415 — same

    if then:
        was.told(console, config, agent, principal, then, at)
        return
    if against or other:
        sides = compare.Side(other or principal, against or at), compare.Side(principal, at)
        compare.told(console, config, agent, *sides)
        return
    found = on_tracker(config, lambda tracker: show(tracker, agent, principal, at))
    if console.json:
        console.document(found.model_dump(mode="json"))
    else:
        console.lines(*lines(found, console.out))
