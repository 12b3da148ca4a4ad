"""No way in that the card offers can be met with what the workflow holds.

Each alternative asks for a scheme without a credential, for a scope that is not held, for a scheme that the client
does not implement, or names a scheme that is not declared or cannot be read. Where the lock states no credentials,
those count as held that the agent asked for when it was pinned. Every call would be answered with 401 or 403.

Do: get the credential or scope named below and add it to the lock, or use another agent.
"""

from collections.abc import Iterator

from cardtrail.services.verdict.access import levels, refusals
from cardtrail.services.verdict.access_changes import shown
from cardtrail.services.verdict.rule import Noticed, Rule
from cardtrail.services.verdict.view import View


def check(view: View) -> Iterator[Noticed]:
    """Per level of security, all alternatives refused."""
    for level in levels(view):
        reasons = refusals(view, level)
        if reasons:
            before = None if level.before is None else shown(level.before)
            message = "; ".join(dict.fromkeys(reasons))
            yield Noticed(level.subject, message, level.member, level.needs, before, shown(level.after))


RULE = Rule("security-unsatisfiable", "breaking", check, __doc__, mirror="security-relaxed")
