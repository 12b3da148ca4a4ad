"""When one place has failed: whether to try the next one, and which of several refusals says most. Pure."""

from collections.abc import Sequence
from typing import TypeVar

from cardtrail.events.card_refused import CardRefused

_MOVED = ("not-found", "gone")
_NOT_HERE = (
    *_MOVED,
    *("method-not-allowed", "client-error", "status-unexpected", "unauthorized", "forbidden"),
    *("content-type", "redirect-refused", "redirect-cross-origin", "redirect-target", "redirect-loop"),
)
_TELLING = ("verify", "validate", "parse", "policy", "authenticate", "connect", "resolve", "fetch", "locate")

Failed = TypeVar("Failed", bound=tuple[CardRefused, bytes | None])


def goes_on(refusal: CardRefused, *, is_known: bool) -> bool:
    """Whether another place may hold the card.

    A place that has served it is left only when it says that nothing is there: anything else could lead to another agent's card.
    A place that was only guessed is left for every answer that is no card, but not for a fault of network or server.
    """
    if is_known:
        return refusal.reason in _MOVED
    return refusal.reason in _NOT_HERE or refusal.stage in ("parse", "validate")


def most_telling(failed: Sequence[Failed]) -> Failed | None:
    """The refusal that a person should see: an unreadable card before a missing one, the more specific place before others."""
    if not failed:
        return None
    return min(failed, key=lambda one: (one[0].reason in _MOVED, _TELLING.index(one[0].stage)))
