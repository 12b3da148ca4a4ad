"""The agent asks for less than before to be let in.

A requirement, a scheme or a scope went. Calls still work, but a door that was locked is open: a faulty deployment,
a copy of the agent without its protection, or a security member removed where the signature does not see it.

Do: ask the provider whether this is meant before more data goes there.
"""

from collections.abc import Iterator

from cardtrail.services.verdict.access_changes import changed_levels
from cardtrail.services.verdict.rule import Noticed, Rule
from cardtrail.services.verdict.view import View


def check(view: View) -> Iterator[Noticed]:
    """Per level of security: anonymous access gained, or a weaker way in with none taken away."""
    for level, before, after in changed_levels(view, "relaxed"):
        yield Noticed(level.subject, "less is asked for than when pinned", level.member, level.needs, before, after)


RULE = Rule("security-relaxed", "review", check, __doc__, mirror="security-changed", rests_on="profile")
