"""The optional operations a card declares by a flag, under their card names."""

from collections.abc import Iterator
from typing import Literal

from cardtrail.services.verdict.rule import Noticed
from cardtrail.services.verdict.view import View

Flag = Literal["streaming", "push", "extended_card"]
FLAGS: dict[Flag, str] = {
    "streaming": "capabilities.streaming",
    "push": "capabilities.pushNotifications",
    "extended_card": "capabilities.extendedAgentCard",
}


def withdrawn_where_needed(view: View, flag: Flag, operation: str) -> Iterator[Noticed]:
    """The needed flag that the usable profile does not set."""
    if view.after is None or not getattr(view.lock.requires, flag) or getattr(view.after, flag):
        return
    before = getattr(view.before, flag) if view.before else None
    message = f"the workflow needs {operation}, which the card no longer declares"
    yield Noticed(FLAGS[flag], message, flag, needs=True, before=before, after=False)


def changed(view: View, *, now: bool) -> Iterator[Noticed]:
    """Flags that went to `now` since the lock was pinned."""
    if view.after is None or view.before is None:
        return
    for flag, subject in FLAGS.items():
        if getattr(view.after, flag) is now and getattr(view.before, flag) is not now:
            yield Noticed(subject, f"{subject} is now {str(now).lower()}", flag, before=not now, after=now)
