"""The lock demands a signature, and the card has none that counts.

It is missing, cannot be verified, is invalid, or was made with a key that the lock does not list. Without it nobody
knows who wrote this card.

Do: get the provider's current key over a trusted way and add it, or wait until the card is signed again.
"""

from collections.abc import Iterator

from cardtrail.services.verdict.rule import Noticed, Rule
from cardtrail.services.verdict.signatures import demanded
from cardtrail.services.verdict.view import View


def check(view: View) -> Iterator[Noticed]:
    """What is wrong with the signature, where the lock requires one."""
    problem = demanded(view)
    if problem:
        old, now = view.baseline.identity, view.observed.identity
        after = {"signature": now.signature, "signer": now.signer} if now else None
        before = {"signature": old.signature, "signer": old.signer} if old else None
        needs = list(view.lock.signer.kids) or "any trusted key"
        yield Noticed("signatures", problem, "signatures", needs=needs, before=before, after=after)


RULE = Rule("signature-required", "breaking", check, __doc__, mirror="signature-gained")
