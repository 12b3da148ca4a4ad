"""`cardtrail sign --json`."""

import base64
import json
from typing import Any, Literal

from cardtrail.events.model.value import Value
from cardtrail.services.cli.shell.console import as_json


class SignOutput(Value):
    """`cardtrail sign CARD --key JWK --json`: the card with its new signature; `file` where it was written."""

    format: Literal["cardtrail.sign/1"]
    card: dict[str, Any]
    kid: str
    alg: str
    form: str
    file: str | None

    def text(self) -> str:
        """The signed card itself, as a provider publishes it."""
        return as_json(self.card) + "\n"


class NewSigningKeyOutput(Value):
    """`cardtrail sign --new-key FILE --json`: the key set (RFC 7517) to publish; the private key is in the file alone."""

    format: Literal["cardtrail.signing-key/1"]
    file: str
    kid: str
    alg: str
    jwks: dict[str, list[dict[str, str]]]


OUTPUTS: tuple[type[Value], ...] = (SignOutput, NewSigningKeyOutput)


def signed(card: dict[str, Any], form: str, file: str | None) -> SignOutput:
    """A signed card in the published shape; key id and algorithm are those of the last signature."""
    protected = card["signatures"][-1]["protected"]
    header = json.loads(base64.urlsafe_b64decode(protected + "=" * (-len(protected) % 4)))
    return SignOutput(format="cardtrail.sign/1", card=card, kid=header["kid"], alg=header["alg"], form=form, file=file)
