"""The workflow needs streaming, and the card no longer declares it.

An absent flag means false (A2A §3.3.4): a streaming call will be answered with UnsupportedOperationError.

Do: poll instead and pin again without streaming, or use another agent.
"""

from collections.abc import Iterator

from cardtrail.services.verdict.capabilities import withdrawn_where_needed
from cardtrail.services.verdict.rule import Noticed, Rule
from cardtrail.services.verdict.view import View


def check(view: View) -> Iterator[Noticed]:
    """The flag, where the lock needs it and the card does not set it."""
    yield from withdrawn_where_needed(view, "streaming", "streaming")


RULE = Rule("streaming-withdrawn", "breaking", check, __doc__, mirror="capability-added")
