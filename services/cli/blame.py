"""`cardtrail blame`: who brought a value of a capability."""

from datetime import UTC, datetime
from pathlib import Path

import click

from cardtrail.services.cli.live.config import config_option
from cardtrail.services.cli.live.when import When
from cardtrail.services.cli.shell.command import command
from cardtrail.services.cli.shell.console import Console


@command(
    "blame",
    "cardtrail blame pricing",
    "cardtrail blame pricing.partner.example itinerary-pricing.input",
    "cardtrail blame pricing streaming --as-of 2026-11-29T00:00Z --json",
)
@click.argument("agent", help="Its name, or where it was found.")
@click.argument("capability", required=False, help="As streaming, interface or SKILL.input; default the last of each.")
@click.option("--as-of", "at", type=When(), help="What was known then.")
@click.option("--principal", metavar="WHO", help="As they see it; default public, or the only one there is.")
@config_option
def run(  # noqa: PLR0913 — a command's options
    console: Console,
    agent: str,
    capability: str | None,
    *,
    at: datetime | None,
    principal: str | None,
    config: Path | None,
) -> None:
    """Say for each value a capability ever had which fact brought it, in which window, and what it brought.

    Newest first. The change happened after the last full answer with the old value, and not later than the first with the new.
    `with it:` marks what came in the same card and rests on other members of it.
    """
    from cardtrail.services.cli.audit.blame import blame  # noqa: PLC0415 — help needs no broker library
    from cardtrail.services.cli.audit.blame_text import lines  # noqa: PLC0415 — same
    from cardtrail.services.cli.live.tracker import on_tracker  # noqa: PLC0415 — same

    found = on_tracker(config, lambda tracker: blame(tracker, agent, capability, principal, at))
    if console.json:
        console.document(found.model_dump(mode="json"))
    else:
        console.lines(*lines(found, console.out, datetime.now(UTC)))
