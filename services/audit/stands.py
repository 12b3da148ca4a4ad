"""Since when a decision's verdict and its action stand: a newer decision that says the same does not begin them anew."""

from collections.abc import Iterable

from cardtrail.events import ChangeDecided
from cardtrail.events.model.finding import Verdict
from cardtrail.events.model.value import Value


class Stands(Value):
    """When the verdict began (RFC 3339), as `status` says it, and what stood before; when the action began to follow from it."""

    verdict_since: str
    action_since: str
    was: Verdict | None


def stands(before: Stands | None, last: ChangeDecided | None, event: ChangeDecided) -> Stands:
    """After one more decision about a lock; `before` and `last`: how it stood. A new pin (or watch) begins everything."""
    if before is None or last is None or event.cause == "pin" or last.verdict != event.verdict:
        return Stands(verdict_since=event.valid_from, action_since=event.valid_from, was=event.previous)
    same = last.action == event.action
    return before.model_copy(update={} if same else {"action_since": event.valid_from})


def stood(earlier: Iterable[ChangeDecided], event: ChangeDecided) -> Stands:
    """How a lock stands since a decision; `earlier` are those about the same lock before it, in order."""
    found, last = None, None
    for one in earlier:
        found, last = stands(found, last, one), one
    return stands(found, last, event)
