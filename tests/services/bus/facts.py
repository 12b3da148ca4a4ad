"""Facts and folds for the tests of the bus: small, distinct, of many agents."""

import itertools
import os
import time
from datetime import UTC, datetime

from cardtrail.events import CardFetched, ChangeDecided, Fact, Stored, derived_id, observation_id
from cardtrail.events.deadline_passed import DeadlinePassed
from cardtrail.projections.projection import Rows

_counted = itertools.count(1)


def fetched(agent: str = "a.example", number: int = 0, principal: str = "public", detail: str = "") -> Fact:
    data = CardFetched(agent=agent, principal=principal, latency_ms=number or next(_counted), location=detail)
    return Fact(
        id=observation_id(time.time_ns() // 1_000_000, os.urandom(10)),
        source="fetcher",
        time=datetime.now(UTC),
        data=data,
    )


def decided(workflow: str = "w", agent: str = "a.example", through: int = 1) -> Fact:
    data = ChangeDecided(
        agent=agent,
        workflow=workflow,
        verdict="review",
        action="probe",
        valid_from="2026-11-01T00:00:00Z",
        considered_through=through,
        lock_digest="sha256:" + "0" * 64,
        rules_version="1",
        policy_digest="sha256:" + "0" * 64,
    )
    cause = observation_id(time.time_ns() // 1_000_000, os.urandom(10))
    return Fact(id=derived_id(cause, "decider", "1", workflow), source="decider", time=datetime.now(UTC), data=data)


class Numbers:
    """Keeps, per agent, the numbers of its facts in the order in which they were applied."""

    name = "numbers"

    def apply(self, stored: Stored, rows: Rows) -> None:
        event = stored.fact.data
        if isinstance(event, CardFetched):
            if event.location == "poison":
                rows.put("numbers", (event.agent,), {"half": "done"})
                raise ValueError("this fact cannot be applied")
            held = rows.get("numbers", (event.agent,)) or {"seen": []}
            rows.put("numbers", (event.agent,), {"seen": [*held["seen"], event.latency_ms]})


class Counts:
    """Counts facts per agent and remembers their ids: twice the same fact would show."""

    name = "counts"

    def apply(self, stored: Stored, rows: Rows) -> None:
        event = stored.fact.data
        if isinstance(event, CardFetched):
            held = rows.get("counts", (event.agent,)) or {"count": 0, "sum": 0}
            total = {"count": held["count"] + 1, "sum": held["sum"] + event.latency_ms}
            rows.put("counts", (event.agent,), total)


class Echo:
    """Derives one deadline from every observation."""

    name = "echo"

    def derive(self, stored: Stored, rows: Rows) -> tuple[Fact, ...]:
        event = stored.fact.data
        if not isinstance(event, CardFetched):
            return ()
        held = rows.get("echo", (event.agent,)) or {"count": 0}
        rows.put("echo", (event.agent,), {"count": held["count"] + 1})
        told = DeadlinePassed(what="refresh", due="2026-11-01T00:00:00Z", agent=event.agent, principal=event.principal)
        cause = stored.fact.id
        return (
            Fact(
                id=derived_id(cause, "echo", "1", ""), source="echo", time=stored.fact.time, data=told, causation=cause
            ),
        )
