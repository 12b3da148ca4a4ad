"""The card carries a signature of a trusted key that does not fit its content.

Such a card is refused and the last good profile stays. A proxy that rewrites URLs in signed cards is the usual
cause; a forged card looks the same.

Do: compare the differing members named below with the provider; until then nothing of the new card is believed.
"""

from collections.abc import Iterator

from cardtrail.services.verdict.rule import Noticed, Rule
from cardtrail.services.verdict.signatures import invalid
from cardtrail.services.verdict.view import View


def check(view: View) -> Iterator[Noticed]:
    """A refusal by verification, where the lock does not demand a signature anyway."""
    detail = invalid(view)
    if detail is not None:
        message = f"the signature does not fit the card{': ' if detail else ''}{detail}"
        yield Noticed("signatures", message, "signatures", after="invalid")


RULE = Rule("signature-invalid", "review", check, __doc__, mirror="signature-gained")
