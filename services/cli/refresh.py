"""`cardtrail refresh`: look at an agent now."""

from datetime import UTC, datetime
from pathlib import Path

import click

from cardtrail.services.cli.formats.words import counted
from cardtrail.services.cli.live.config import config_option
from cardtrail.services.cli.live.when import Span
from cardtrail.services.cli.shell.command import command
from cardtrail.services.cli.shell.console import Console
from cardtrail.services.cli.shell.text import plain


@command(
    "refresh",
    "cardtrail refresh pricing",
    "cardtrail refresh pricing --force --wait",
    "cardtrail refresh https://pricing.partner.example --wait --within 2m --json",
)
@click.argument("agent", help="Its name, or where it was found.")
@click.option("--principal", "principals", multiple=True, metavar="WHO", help="Only as they see it; default everybody.")
@click.option("--force", "forced", is_flag=True, help="Ask for the whole card, whatever is cached.")
@click.option("--wait", is_flag=True, help="Wait, and print what came of it.")
@click.option("--within", type=Span(), default="60s", help="How long to wait; default 60s, then exit 4.")
@config_option
def run(  # noqa: PLR0913 — a command's options
    console: Console,
    agent: str,
    *,
    principals: tuple[str, ...],
    forced: bool,
    wait: bool,
    within: int,
    config: Path | None,
) -> None:
    """Look at an agent now, instead of when it is due. Limits per host hold.

    With --wait: exit 4 where what came of it is not judged in time, or cannot be: a service holds the agent's facts back.
    """
    from cardtrail.services.cli.live.due import refresh  # noqa: PLC0415 — help needs no broker library
    from cardtrail.services.cli.live.history_text import entry_line  # noqa: PLC0415 — same
    from cardtrail.services.cli.live.tracker import on_tracker  # noqa: PLC0415 — same
    from cardtrail.services.cli.live.turns import held_line  # noqa: PLC0415 — same

    wait_s = float(within) if wait else None
    found = on_tracker(config, lambda on: refresh(on, agent, principals, forced=forced, wait_s=wait_s))
    if console.json:
        console.document(found.model_dump(mode="json"))
    elif wait:
        console.lines(*(entry_line(entry, console.out, datetime.now(UTC)) for entry in found.entries))
        console.lines(*(held_line(one, console.out) for one in found.turning))
    else:
        looks = counted(len(found.principals), "look")
        console.lines(f"{console.out.marked('ok', 'due now')}  {plain(found.agent)}  {looks}")
