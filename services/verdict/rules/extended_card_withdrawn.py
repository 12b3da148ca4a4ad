"""The workflow needs the extended card, and the public card no longer declares one.

What only authenticated callers see (partner skills, other interfaces) can no longer be read, so it can no longer be
relied on.

Do: ask the provider; pin the public card if it offers enough.
"""

from collections.abc import Iterator

from cardtrail.services.verdict.capabilities import withdrawn_where_needed
from cardtrail.services.verdict.rule import Noticed, Rule
from cardtrail.services.verdict.view import View


def check(view: View) -> Iterator[Noticed]:
    """The flag, where the lock needs it and the card does not set it."""
    yield from withdrawn_where_needed(view, "extended_card", "the extended card")


RULE = Rule("extended-card-withdrawn", "breaking", check, __doc__, mirror="capability-added")
