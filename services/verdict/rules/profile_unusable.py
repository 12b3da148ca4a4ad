"""The agent cannot be called at all by this client.

No interface has a binding and protocol version that the client implements, a required extension is unknown to it,
or the card has been unreadable for longer than the grace time. Every call of the workflow would fail before it is
sent.

Do: use another agent, implement what is missing, or ask the provider to keep the old interface beside the new one.
"""

from collections.abc import Iterator

from cardtrail.services.verdict.interfaces import pinned_pair
from cardtrail.services.verdict.rule import Noticed, Rule
from cardtrail.services.verdict.view import View


def check(view: View) -> Iterator[Noticed]:
    """An unusable last profile with its reasons, or a card unreadable beyond the grace time."""
    profile, trouble = view.observed.profile, view.observed.trouble
    if profile is not None and not profile.usable:
        codes = sorted({reason.code for reason in profile.reasons})
        details = "; ".join(reason.detail for reason in profile.reasons) or "the profile is unusable"
        path = next((reason.path for reason in profile.reasons if reason.path), "")
        needs = " ".join(pinned_pair(view))
        yield Noticed("profile", details, path=path, needs=needs, before=_before(view), after=codes)
    if trouble is not None and trouble.kind == "unreadable" and trouble.beyond:
        message = f"the card has been unreadable beyond the grace time: {trouble.detail or trouble.reason}"
        yield Noticed("card", message, after=trouble.reason, cause="time")


def _before(view: View) -> str | list[str] | None:
    if view.before is None:
        return None
    return "usable" if view.before.usable else sorted({reason.code for reason in view.before.reasons})


RULE = Rule(
    "profile-unusable",
    "breaking",
    check,
    __doc__,
    mirror="a usable profile again is the recovery, which the decision tells",
)
