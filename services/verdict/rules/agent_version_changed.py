"""The agent's own version changed.

A version says nothing certain: in real histories most breaks came without one, and most new versions broke nothing.
It is a reason to look, not to stop; the probes run at once and the owner reads it in the digest.

Do: pin again when the probes hold.
"""

from collections.abc import Iterator

from cardtrail.services.verdict.agent_version import movement
from cardtrail.services.verdict.rule import Noticed, Rule
from cardtrail.services.verdict.view import View


def check(view: View) -> Iterator[Noticed]:
    """The version against the pinned one, where it changed."""
    if view.observed.identity is not None and movement(view) == "changed":
        before, after = view.pinned_version, view.observed.identity.version
        message = f"agent version {before or 'none'} → {after or 'none'}"
        yield Noticed("version", message, "version", needs=view.lock.agent_version, before=before, after=after)


RULE = Rule("agent-version-changed", "review", check, __doc__, mirror="agent-version-patched", rests_on="version")
