"""Routes as the tracker keeps them, for the tests of a planner."""

from datetime import UTC, datetime, timedelta
from typing import Any

from cardtrail.services.planner.values import Route, RouteCandidate

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
LATER = NOW + timedelta(days=1)
SKILL = "quote"
TRIP = "trip"


def candidate(agent: str = "pricing", **members: Any) -> RouteCandidate:
    """Judged compatible and heard in time."""
    told: dict[str, Any] = {
        "agent": agent, "skill": SKILL, "usable": True, "verdict": "compatible", "action": "allow", "judged_through": 7,
        "valid_from": NOW, "decision": f"{agent}-1", "stale_after": LATER, "profile_digest": f"sha256:{agent}",
    }  # fmt: skip
    return RouteCandidate.model_validate(told | members)


def stopped(agent: str = "pricing", **members: Any) -> RouteCandidate:
    """Judged breaking."""
    return candidate(agent, **{"usable": False, "verdict": "breaking", "action": "stop"} | members)


def pending(agent: str = "pricing") -> RouteCandidate:
    """Pinned, and not judged yet."""
    return candidate(agent, usable=False, verdict="pending", action=None, stale_after=None)


def route(*candidates: RouteCandidate, skill: str = SKILL, **members: Any) -> Route:
    """A route of the workflow, in this order."""
    told: dict[str, Any] = {"principal": "public", "workflow": TRIP, "skill": skill, "candidates": candidates}
    return Route.model_validate(told | members)


def row(*candidates: RouteCandidate, **members: Any) -> dict[str, Any]:
    """The same as the bucket has it."""
    made: dict[str, Any] = route(*candidates, **members).model_dump(mode="json")
    return made
