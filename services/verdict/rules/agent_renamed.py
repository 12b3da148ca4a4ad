"""The agent has another display name.

A name is text. It decides no call and proves no identity.

Do: nothing.
"""

from collections.abc import Iterator

from cardtrail.services.verdict.rule import Noticed, Rule
from cardtrail.services.verdict.view import View


def check(view: View) -> Iterator[Noticed]:
    """The name in the two identities."""
    old, now = view.baseline.identity, view.observed.identity
    if old is not None and now is not None and old.name != now.name:
        yield Noticed("name", "the agent calls itself otherwise", "name", before=old.name, after=now.name)


RULE = Rule("agent-renamed", "note", check, __doc__, "same rule in both directions: a name has no opposite", "identity")
