"""`cardtrail pin`: the smallest lockfile for what a workflow needs, or an existing one renewed."""

import click

from cardtrail.services.cli.formats.pinned import Needs, pinned, renewed
from cardtrail.services.cli.live.shown_claims import shown_claims
from cardtrail.services.cli.shell import options
from cardtrail.services.cli.shell.cards import open_signed
from cardtrail.services.cli.shell.command import command
from cardtrail.services.cli.shell.console import Console
from cardtrail.services.cli.shell.locks import open_lock
from cardtrail.services.cli.shell.policy import policy_in_force


@command(
    "pin",
    "cardtrail pin card.json --workflow trip-planner --skill itinerary-pricing -o trip.lock.json",
    "cardtrail pin https://pricing.partner.example --workflow trip-planner --everything",
    "cardtrail pin card.json --update trip.lock.json --evidence | patch",
)
@click.argument("card", help="A file, - or a URL.")
@click.option("--workflow", default="", help="Name of the workflow that depends on the agent.")
@click.option("--agent", default="", help="The agent as the log names it; default the card's URL.")
@options.needs_options
@options.renewal_options
@click.option("--seal", is_flag=True, help="Add a digest: an edit by hand is refused. A sealed lock stays sealed.")
@click.option("-o", "--output", metavar="FILE", help="Write the lock here instead of to stdout.")
@options.keys_option
@options.client_option
@options.reach_options
def run(  # noqa: PLR0913 — a command's options
    console: Console,
    card: str,
    *,
    workflow: str,
    agent: str,
    renewal: options.Renewal,
    seal: bool,
    output: str | None,
    names: tuple[str, ...],
    client: str | None,
    needs: dict[str, object],
    reach: options.Reach,
) -> int:
    """Propose the smallest lockfile for what a workflow needs of a card.

    Read it before you commit it. A running tracker judges by it after `cardtrail track --lock FILE`. A renewed lock keeps what
    the workflow needs: exit 1 where the card no longer meets it.
    """
    opened, policy = open_signed(card, names, reach), policy_in_force(reach.config, client)
    asked = Needs(workflow, agent, needs)
    if renewal.lock is not None:
        asked.refuse_beside_a_lock()
        held = open_lock(renewal.lock)
        known = shown_claims(held.lockfile, reach.config) if renewal.evidence else None
        result = renewed(opened, held, policy, output, known, seal=seal, need_less=renewal.need_less)
    else:
        result = pinned(opened, policy, asked, output, seal=seal)
    return result.deliver(console)
