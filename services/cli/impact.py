"""`cardtrail impact`: who is hit when an agent goes, or changes its card."""

import click

from cardtrail.services.cli.shell.command import OneOf, command
from cardtrail.services.cli.shell.console import Console
from cardtrail.services.cli.shell.options import Reach, reach_options


@command(
    "impact",
    "cardtrail impact pricing",
    "cardtrail impact pricing --card next.json --fail-on breaking",
    "cardtrail impact https://pricing.partner.example --json",
)
@click.argument("agent", help="Its name, or where it was found.")
@click.option(
    "--card", metavar="CARD", help="A card it does not serve yet (a file, - or a URL), judged by every lock on it."
)
@click.option(
    "--fail-on",
    type=OneOf(["review", "breaking"]),
    help="With --card: exit 1 where a lock says this or worse, or the log is not read yet.",
)
@reach_options
def run(console: Console, agent: str, *, card: str | None, fail_on: str | None, reach: Reach) -> int:
    """Say which workflows depend on an agent, whose they are, and what would stop without it or under another card."""
    from cardtrail.services.cli.live.impacted import impact  # noqa: PLC0415 — help needs no broker library
    from cardtrail.services.cli.live.impacted_text import lines  # noqa: PLC0415 — same
    from cardtrail.services.cli.live.tracker import on_tracker  # noqa: PLC0415 — same
    from cardtrail.services.cli.shell.cards import open_signed  # noqa: PLC0415 — same

    opened = open_signed(card, (), reach) if card else None
    if opened is not None:
        opened.usable()
    found = on_tracker(reach.config, lambda on: impact(on, agent, opened))
    if console.json:
        console.document(found.model_dump(mode="json"))
    else:
        console.lines(*lines(found, console.out))
    failing = {"breaking"} if fail_on == "breaking" else {"breaking", "review"} if fail_on else set()
    unread = bool(failing) and found.lag.facts > 0
    return int(
        unread or any(one.with_card is not None and one.with_card.verdict in failing for one in found.dependants)
    )
