"""The signature could be verified when the lock was pinned and cannot be now.

Its key is not among the trusted ones, or its algorithm is not allowed: neither good nor bad, but no longer known.

Do: fetch the provider's current keys over a trusted way and verify again.
"""

from collections.abc import Iterator

from cardtrail.services.verdict.rule import Noticed, Rule
from cardtrail.services.verdict.signatures import went
from cardtrail.services.verdict.view import View


def check(view: View) -> Iterator[Noticed]:
    """Verified before, unverifiable now, and not demanded by the lock."""
    if went(view, {"verified"}, {"unverifiable"}):
        message = "the signature can no longer be verified"
        yield Noticed("signatures", message, "signatures", before="verified", after="unverifiable")


RULE = Rule("signature-unverifiable", "review", check, __doc__, mirror="signature-gained", rests_on="identity")
