"""`cardtrail lint`: numbered diagnostics of one card or several, each with its place."""

import click

from cardtrail.services.cli.formats.advice import advise
from cardtrail.services.cli.formats.emit import emit, reporting
from cardtrail.services.cli.formats.linted import LEVELS, report
from cardtrail.services.cli.live.config import load_settings
from cardtrail.services.cli.shell.cards import open_card, open_each
from cardtrail.services.cli.shell.command import command
from cardtrail.services.cli.shell.console import Console
from cardtrail.services.cli.shell.options import Printing, Reach, printing_options, reach_options


@command(
    "lint",
    "cardtrail lint card.json",
    "cardtrail lint https://pricing.partner.example --level info",
    "cardtrail lint cards/*.json --fail-on error --out sarif=lint.sarif",
)
@click.argument("cards", nargs=-1, required=True, help="A file, - or a URL.")
@printing_options(tuple(LEVELS), level="warning", gates=("error", "warning"), gate=None)
@reach_options
def run(console: Console, cards: tuple[str, ...], *, printing: Printing, reach: Reach) -> int:
    """Say what is wrong with a card, and where.

    Every deviation from A2A that a client could stumble over has a number; `cardtrail rules CT017` explains one. A card
    that cannot be used at all is refused (exit 3); of several cards the others are read all the same.
    """
    with reporting(console, "lint", printing, *cards, file=cards[0]) as going:
        if reach.config is not None:
            load_settings(reach.config)  # a file needs none of it, and a name that is wrong is said all the same
        opened = open_each(cards, lambda name: open_card(name, reach))
        if len(opened) == 1:
            opened[0].usable()
        found = report(opened, printing)
    emit(console, found, going)
    advise(console, found)
    return found.exit_code(gated=printing.fail_on is not None)
