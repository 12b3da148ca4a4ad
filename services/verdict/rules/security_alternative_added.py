"""The agent can be entered in one more way, beside all those that there were.

Alternatives are joined by *or* (A2A §4.5): whoever was let in before is let in as before. A way that asks for less
than an old one, or for nothing, is told by `security-relaxed`.

Do: nothing; look at the new way before a client takes it.
"""

from collections.abc import Iterator

from cardtrail.services.verdict.access_changes import changed_levels
from cardtrail.services.verdict.rule import Noticed, Rule
from cardtrail.services.verdict.view import View


def check(view: View) -> Iterator[Noticed]:
    """Per level of security, all old alternatives there and further ones beside them."""
    for level, before, after in changed_levels(view, "widened"):
        yield Noticed(level.subject, "one more way in", level.member, level.needs, before, after)


RULE = Rule("security-alternative-added", "note", check, __doc__, mirror="security-changed", rests_on="profile")
