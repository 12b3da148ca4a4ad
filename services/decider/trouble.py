"""No usable answer: since when, and when patience ends."""

from datetime import datetime, timedelta

from cardtrail.events.card_refused import CardRefused
from cardtrail.events.fact import Stored
from cardtrail.events.model.policy import Policy
from cardtrail.projections.trouble import trouble_kind
from cardtrail.services.decider.memory import Watch
from cardtrail.services.verdict.view import Trouble

OVER: dict[str, object] = {"trouble": None, "refusal": None}
"""What changes in an agent when its trouble is over."""

_DETAIL = 500


def refused(watch: Watch, stored: Stored, event: CardRefused) -> Watch:
    """The agent after a refusal. The first of a kind stands with its reason; silence never softens an unreadable card."""
    held, now_kind = watch.trouble, trouble_kind(event)
    update = {"refused": stored.sequence, "refusal": stored.fact.id}
    if held is not None and (now_kind in ("unreachable", held.kind)):
        return watch.model_copy(update={"refused": stored.sequence})
    since = watch.now if held is None or held.kind == "unreachable" else held.since
    found = Trouble(kind=now_kind, since=since, reason=event.reason, detail=event.detail[:_DETAIL])
    return watch.model_copy(update={**update, "trouble": found})


def patience_ends(watch: Watch, policy: Policy) -> datetime | None:
    """When trouble is beyond its budget: grace from its start, staleness from the last answer; None without trouble."""
    if watch.trouble is None:
        return None
    if watch.trouble.kind == "unreachable":
        return (watch.answered or watch.trouble.since) + timedelta(seconds=policy.staleness_s)
    return watch.trouble.since + timedelta(seconds=policy.grace_s)


def at(watch: Watch, policy: Policy, now: datetime) -> Trouble | None:
    """The trouble as it stands at an instant."""
    ends = patience_ends(watch, policy)
    if watch.trouble is None or ends is None:
        return None
    return watch.trouble.model_copy(update={"beyond": now >= ends})
