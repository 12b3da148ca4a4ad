"""Decisions that a planner hears before the route that follows from them, laid over the route it has. Pure.

The broker tells a decision to planners the moment it is stored; its route comes a fold and a bucket later.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from cardtrail.events.change_decided import ChangeDecided
from cardtrail.services.planner.values import Route, RouteCandidate


class Ahead(NamedTuple):
    """A decision with its stream sequence and its fact's id."""

    sequence: int
    decision: str
    event: ChangeDecided


def brought_forward(route: Route, ahead: Mapping[str, Ahead]) -> Route:
    """The route as these decisions will make it; one about another lock than the route's is laid over it only to stop."""
    if not any(one.agent in ahead for one in route.candidates):
        return route
    candidates = tuple(_judged(one, ahead[one.agent]) if one.agent in ahead else one for one in route.candidates)
    return route.model_copy(update={"candidates": candidates})


def _judged(one: RouteCandidate, ahead: Ahead) -> RouteCandidate:
    event = ahead.event
    if event.lock_digest != one.lock_digest and event.action != "stop":
        return one
    told: dict[str, Any] = {
        "usable": event.action != "stop",
        "verdict": event.verdict,
        "action": event.action,
        "degraded": event.degraded,
        "valid_from": datetime.fromisoformat(event.valid_from),
        "decision": ahead.decision,
        "judged_through": event.considered_through,
        "profile_digest": event.profile_digest,
        "rules": event.rules,
        "watched": event.watched or event.agent,
    }
    return one.model_copy(update=told)
