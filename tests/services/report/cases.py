"""Material by hand: a short list of rows is a whole case."""

from datetime import UTC, datetime, timedelta
from typing import Any

from cardtrail.services.report.fleet import Fleet
from cardtrail.services.report.material import Material
from cardtrail.services.report.rows import Agent

START = datetime(2026, 9, 1, tzinfo=UTC)
FLEET = Fleet([Agent("pricing", "Acme", 3600)])


def at(day: float) -> datetime:
    return START + timedelta(days=day)


def held(**changes: Any) -> Material:
    lists = (
        "agents",
        "days",
        "outages",
        "claims",
        "errors",
        "changes",
        "breaks",
        "locks",
        "delegations",
        "proofs",
        "demands",
        "latency",
        "calls",
        "signatures",
        "status",
    )
    told: dict[str, Any] = {name: [] for name in lists}
    told |= {
        "principal": "public",
        "first": 1,
        "through": 9,
        "facts": 9,
        "began": START,
        "ended": at(200),
        "since": START,
    }
    told |= {"digest": "sha256:0", "checkpoint": None, "rules_versions": (), "watched_s": {}, "announced": {}}
    return Material(**(told | changes))
