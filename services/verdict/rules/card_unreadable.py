"""The new card cannot be read; the last good profile stays.

It is no JSON, contradicts itself, or names no endpoint of any generation. That says nothing about the agent: most
such cards are repaired the same day.

Do: tell the provider. Beyond the grace time this becomes `profile-unusable`.
"""

from collections.abc import Iterator

from cardtrail.services.verdict.rule import Noticed, Rule
from cardtrail.services.verdict.view import View


def check(view: View) -> Iterator[Noticed]:
    """Trouble with reading within the grace time, or nothing read yet at all."""
    trouble = view.observed.trouble
    if trouble is not None and trouble.kind == "unreadable" and not trouble.beyond:
        yield Noticed("card", f"the card cannot be read: {trouble.detail or trouble.reason}", after=trouble.reason)
    elif trouble is None and view.observed.profile is None:
        yield Noticed("card", "no card has been read yet", after="not-observed", cause="time")


RULE = Rule(
    "card-unreadable",
    "review",
    check,
    __doc__,
    mirror="a readable card again is the recovery, which the decision tells",
)
