"""The workflow needs push notifications, and the card no longer declares them.

An absent flag means false (A2A §3.3.4): setting up a notification will be refused, and a waiting workflow waits for
ever.

Do: poll or stream instead and pin again without push, or use another agent.
"""

from collections.abc import Iterator

from cardtrail.services.verdict.capabilities import withdrawn_where_needed
from cardtrail.services.verdict.rule import Noticed, Rule
from cardtrail.services.verdict.view import View


def check(view: View) -> Iterator[Noticed]:
    """The flag, where the lock needs it and the card does not set it."""
    yield from withdrawn_where_needed(view, "push", "push notifications")


RULE = Rule("push-withdrawn", "breaking", check, __doc__, mirror="capability-added")
