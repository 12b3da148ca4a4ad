"""`cardtrail sign`: for providers; one more signature on a card, by a private key in a file; or the key."""

import click

from cardtrail.events.errors import UsageError
from cardtrail.services.card.canonical_forms import FORMS
from cardtrail.services.card.sign import sign
from cardtrail.services.cli.outputs.sign import signed
from cardtrail.services.cli.shell.cards import open_card
from cardtrail.services.cli.shell.command import command
from cardtrail.services.cli.shell.console import Console
from cardtrail.services.cli.shell.options import Reach
from cardtrail.services.cli.shell.outfile import write_text
from cardtrail.services.cli.shell.signing import make_key, private_key


@command(
    "sign",
    "cardtrail sign --new-key signing.jwk > jwks.json",
    "cardtrail sign card.json --key signing.jwk -o signed.json",
    "cardtrail sign card.json --key signing.jwk --form sdk_pruned",
)
@click.argument("card", required=False, help="A file or -.")
@click.option("--key", metavar="JWK", help="File with a private JWK.")
@click.option(
    "--new-key", metavar="JWK", help="Make a private key in this file instead; prints the key set to publish."
)
@click.option("--kid", default="", help="Key id to name; default that of the key.")
@click.option("--alg", default="", help="Algorithm; default that of the key, for a new one ES256.")
@click.option(
    "--form", default="spec_present", help=f"Canonical form to sign: {', '.join(FORMS)}; default spec_present."
)
@click.option("-o", "--output", metavar="FILE", help="Write the signed card here instead of to stdout.")
def run(  # noqa: PLR0913 — a command's options
    console: Console, card: str | None, *, key: str | None, new_key: str | None, kid: str, alg: str, form: str, output: str | None
) -> None:  # fmt: skip
    """Sign a card with a private key.

    The signature is added to those the card has; the card is otherwise left as it is.
    """
    if new_key is not None:
        if card or key or output:
            raise UsageError("usage", "--new-key makes a key, and signs nothing yet", hint="then sign with --key")
        make_key(console, new_key, kid, alg)
        return
    if card is None or key is None:
        hint = "cardtrail sign CARD --key JWK; --new-key JWK makes a key"
        raise UsageError("argument-missing", "a card and a key are wanted", hint=hint)
    opened = open_card(card, Reach())
    opened.usable()
    document = opened.reading.document
    made = sign(dict(document.value) if document else {}, private_key(key), form=form, kid=kid, alg=alg)
    result = signed(made, form, output)
    if output:
        write_text(output, result.text())
        console.hint(f"signed by kid {result.kid} with {result.alg}: {output}")
    if console.json:
        console.document(result.model_dump(mode="json"))
    elif not output:
        console.lines(*result.text().splitlines())
