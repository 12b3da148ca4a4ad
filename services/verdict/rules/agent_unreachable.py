"""The agent has not answered for longer than the staleness budget.

What is known is the last good profile, and it is old. Whether the agent still keeps it, nobody knows.

Do: use a fallback; `when_blind` in the lock says what a planner does meanwhile.
"""

from collections.abc import Iterator

from cardtrail.services.verdict.rule import Noticed, Rule
from cardtrail.services.verdict.view import View


def check(view: View) -> Iterator[Noticed]:
    """No answer beyond the budget; within it the rule is silent."""
    trouble = view.observed.trouble
    if trouble is not None and trouble.kind == "unreachable" and trouble.beyond:
        message = f"no answer since {trouble.since.isoformat()}: {trouble.detail or trouble.reason}"
        yield Noticed("card", message, after="unreachable", cause="time")


RULE = Rule("agent-unreachable", "review", check, __doc__, mirror="an answer is the recovery, which the decision tells")
