"""The agent's own version went down.

A roll-back, a card from an old deployment, or an old signed card played again: a signature binds a card to no time.

Do: ask the provider which deployment answers.
"""

from collections.abc import Iterator

from cardtrail.services.verdict.agent_version import movement
from cardtrail.services.verdict.rule import Noticed, Rule
from cardtrail.services.verdict.view import View


def check(view: View) -> Iterator[Noticed]:
    """The version against the pinned one, where it went down."""
    if view.observed.identity is not None and movement(view) == "regressed":
        before, after = view.pinned_version, view.observed.identity.version
        message = f"agent version {before or 'none'} → {after or 'none'}"
        yield Noticed("version", message, "version", needs=view.lock.agent_version, before=before, after=after)


RULE = Rule("agent-version-regressed", "review", check, __doc__, mirror="agent-version-changed", rests_on="version")
