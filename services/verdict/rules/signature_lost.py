"""The card was signed when the lock was pinned and is not signed now.

Removing all signatures gives a card that is still legal, which is what somebody in between would do.

Do: ask the provider; demand a signature in the lock if the agent is expected to sign.
"""

from collections.abc import Iterator

from cardtrail.services.verdict.rule import Noticed, Rule
from cardtrail.services.verdict.signatures import went
from cardtrail.services.verdict.view import View


def check(view: View) -> Iterator[Noticed]:
    """Any signature before, none now."""
    if went(view, {"verified", "unverifiable", "invalid"}, {"absent"}):
        yield Noticed("signatures", "the card is no longer signed", "signatures", before="signed", after="absent")


RULE = Rule("signature-lost", "review", check, __doc__, mirror="signature-gained", rests_on="identity")
