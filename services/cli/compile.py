"""`cardtrail compile`: what a card means for calls by one client."""

import click

from cardtrail.services.card.compile import COMPILER_VERSION, compile_profile
from cardtrail.services.card.digests import profile_digest
from cardtrail.services.cli.outputs.compile import CompileOutput
from cardtrail.services.cli.shell.cards import open_card
from cardtrail.services.cli.shell.command import command
from cardtrail.services.cli.shell.console import Console
from cardtrail.services.cli.shell.options import Reach, client_option, reach_options
from cardtrail.services.cli.shell.policy import policy_in_force


@command(
    "compile",
    "cardtrail compile card.json",
    "cardtrail compile card.json --json",
    "cardtrail compile https://pricing.partner.example --client cardtrail.toml",
)
@click.argument("card", help="A file, - or a URL.")
@client_option
@reach_options
def run(console: Console, card: str, *, client: str | None, reach: Reach) -> None:
    """Print the effective profile of a card for one client.

    One interface, the flags, and per skill the modes and ways in, defaults applied; or why the agent cannot be used, which
    is an answer too: exit 0 (`check` is the gate). A document that is no card is refused (exit 3).
    """
    opened = open_card(card, reach)
    profile = compile_profile(opened.usable(), policy_in_force(reach.config, client).client)
    if console.json:
        console.document(
            CompileOutput(
                format="cardtrail.compile/1",
                **profile.model_dump(),
                card=opened.given.name,
                profile_digest=profile_digest(profile),
                compiler_version=COMPILER_VERSION,
            ).model_dump(mode="json")
        )
    else:
        from cardtrail.services.cli.formats.text_profile import lines  # noqa: PLC0415 — JSON needs no layout

        console.lines(*lines(profile, console.out))
