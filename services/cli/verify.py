"""`cardtrail verify`: who signed a card, by keys you trust; `jku` is never followed."""

from datetime import UTC, datetime

import click

from cardtrail.services.card.verify import verify
from cardtrail.services.cli.formats.text_verified import lines
from cardtrail.services.cli.outputs.verify import verified
from cardtrail.services.cli.shell.cards import open_card
from cardtrail.services.cli.shell.command import command
from cardtrail.services.cli.shell.console import Console
from cardtrail.services.cli.shell.keys import origin_for, trusted_keys
from cardtrail.services.cli.shell.options import Reach, keys_option, reach_options

_REFUSED = 3


@command(
    "verify",
    "cardtrail verify card.json --keys partner.jwks",
    "cardtrail verify https://pricing.partner.example --keys partner.jwks --require",
    "cardtrail verify card.json --keys a.jwks --keys b.jwks --json",
)
@click.argument("card", help="A file, - or a URL.")
@keys_option
@click.option("--require", is_flag=True, help="Exit 3 unless a signature verifies.")
@reach_options
def run(console: Console, card: str, *, names: tuple[str, ...], require: bool, reach: Reach) -> int:
    """Verify the signatures of a card with keys you trust.

    Without --keys those count that the settings hold for the card's origin, key set URLs included. No URL of the card is asked.
    One good signature suffices. Exit 3 where a signature is wrong and none is good; a card without signatures is fine
    unless --require is given.
    """
    opened = open_card(card, reach)
    opened.usable()
    document = opened.reading.document
    if document is None:
        raise opened.refusal()
    keys = trusted_keys(opened, names, reach)
    found = verify(opened.given.data, document, keys, now=datetime.now(UTC), origin=origin_for(opened))
    if console.json:
        console.document(verified(found, opened.given.name).model_dump(mode="json"))
    else:
        console.lines(*lines(found, console.out))
        if found.signatures:
            console.hint("what form and not covered mean: cardtrail help signatures")
    good = found.outcome == "verified" or (not require and found.outcome != "invalid")
    return 0 if good else _REFUSED
