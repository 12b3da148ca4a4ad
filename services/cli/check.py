"""`cardtrail check`: the gate in CI; a lock against one card or several."""

import click

from cardtrail.services.cli.formats.advice import advise
from cardtrail.services.cli.formats.checked import checked
from cardtrail.services.cli.formats.emit import emit, reporting
from cardtrail.services.cli.shell.cards import open_each, open_signed
from cardtrail.services.cli.shell.command import command
from cardtrail.services.cli.shell.console import Console
from cardtrail.services.cli.shell.locks import open_lock
from cardtrail.services.cli.shell.options import (
    SEVERITIES,
    Printing,
    Reach,
    client_option,
    keys_option,
    printing_options,
    reach_options,
)
from cardtrail.services.cli.shell.policy import policy_in_force


@command(
    "check",
    "cardtrail check trip.lock.json card.json",
    "cardtrail check trip.lock.json https://pricing.partner.example --fail-on review",
    "cardtrail check trip.lock.json card.json --out sarif=a.sarif --out junit=b.xml",
)
@click.argument("lock", help="The lockfile.")
@click.argument("cards", nargs=-1, required=True, metavar="CARD...", help="A file, - or a URL.")
@printing_options(SEVERITIES, level="review", gates=SEVERITIES[:2], gate="breaking")
@click.option("--baseline", metavar="OLD_CARD", help="The card in force when the lock was pinned, if it holds none.")
@keys_option
@client_option
@reach_options
def run(  # noqa: PLR0913 — a command's options
    console: Console,
    lock: str,
    cards: tuple[str, ...],
    *,
    printing: Printing,
    baseline: str | None,
    names: tuple[str, ...],
    client: str | None,
    reach: Reach,
) -> int:
    """Judge cards against a lockfile: may the workflow still rely on the agent?

    Exit 0 while it may, 1 when the policy fails, 3 when a card cannot be read or is not what was signed (its last good
    profile stays). Signatures count by --keys, or the settings' [keys]. Of several cards the highest code counts.
    """
    with reporting(console, "check", printing, lock, *cards, file=lock) as going:
        held, policy = open_lock(lock), policy_in_force(reach.config, client)
        going.about = held.lockfile.workflow, held.lockfile.agent
        old = open_signed(baseline, names, reach) if baseline else None
        report = checked(held, open_each(cards, lambda card: open_signed(card, names, reach)), old, policy, printing)
    emit(console, report, going)
    advise(console, report)
    return report.exit_code(gated=True)
