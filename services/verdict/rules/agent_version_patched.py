"""Only the patch number of the agent's version grew, and the profile is the same.

The provider fixed something that the card does not show.

Do: nothing.
"""

from collections.abc import Iterator

from cardtrail.services.verdict.agent_version import movement
from cardtrail.services.verdict.rule import Noticed, Rule
from cardtrail.services.verdict.view import View


def check(view: View) -> Iterator[Noticed]:
    """The version against the pinned one, where it had a patch."""
    if view.observed.identity is not None and movement(view) == "patched":
        before, after = view.pinned_version, view.observed.identity.version
        message = f"agent version {before or 'none'} → {after or 'none'}"
        yield Noticed("version", message, "version", needs=view.lock.agent_version, before=before, after=after)


RULE = Rule("agent-version-patched", "note", check, __doc__, mirror="agent-version-changed", rests_on="version")
