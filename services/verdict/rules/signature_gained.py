"""The card is signed now, or its signature can be verified now.

A good moment to start demanding a signature of this agent.

Do: nothing, or require a signature in the lock.
"""

from collections.abc import Iterator

from cardtrail.services.verdict.rule import Noticed, Rule
from cardtrail.services.verdict.signatures import went
from cardtrail.services.verdict.view import View


def check(view: View) -> Iterator[Noticed]:
    """A better standing of the signature than before."""
    old, now = view.baseline.identity, view.observed.identity
    gained = went(view, {"absent"}, {"verified", "unverifiable"}) or went(
        view, {"unverifiable", "invalid"}, {"verified"}
    )
    if gained and old is not None and now is not None:
        message = f"the signature was {old.signature} and is {now.signature}"
        yield Noticed("signatures", message, "signatures", before=old.signature, after=now.signature)


RULE = Rule("signature-gained", "note", check, __doc__, mirror="signature-lost", rests_on="identity")
