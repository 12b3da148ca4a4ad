"""`cardtrail diff`: two cards, judged as if everything the old one offered were needed."""

import click

from cardtrail.services.cli.formats.advice import advise
from cardtrail.services.cli.formats.compared import compared
from cardtrail.services.cli.formats.emit import emit, reporting
from cardtrail.services.cli.shell.cards import open_card
from cardtrail.services.cli.shell.command import command
from cardtrail.services.cli.shell.console import Console
from cardtrail.services.cli.shell.inputs import is_url
from cardtrail.services.cli.shell.options import SEVERITIES, Printing, Reach, printing_options, reach_options
from cardtrail.services.cli.shell.policy import policy_in_force


@command(
    "diff",
    "cardtrail diff old.json new.json",
    "cardtrail diff old.json https://pricing.partner.example --fail-on breaking",
    "cardtrail diff old.json new.json --format markdown",
)
@click.argument("old", help="The card before: a file, - or a URL.")
@click.argument("new", help="The card after: a file, - or a URL.")
@printing_options(SEVERITIES, level="note", gates=SEVERITIES[:2], gate=None)
@reach_options
def run(console: Console, old: str, new: str, *, printing: Printing, reach: Reach) -> int:
    """Judge a new card for a workflow that needs everything the old one offered.

    The client is taken to implement every released binding, and to hold exactly what the old card asked for. Exit 0
    whatever is found, unless --fail-on is given; 3 when a card cannot be read.
    """
    with reporting(console, "diff", printing, old, new, file=old if is_url(new) else new) as going:
        report = compared(open_card(old, reach), open_card(new, reach), policy_in_force(reach.config), printing)
    emit(console, report, going)
    advise(console, report)
    return report.exit_code(gated=printing.fail_on is not None)
