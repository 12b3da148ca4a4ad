"""Reports of one batch as facts: failures that speak against a claim one by one, all calls as counts. Pure.

Ids follow from the batch and the group, so a batch that is told again is the same facts. Counts are per workflow, agent, skill,
operation and minute: however many calls there were, a batch gives as many facts as it has groups.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from uuid import UUID

from cardtrail.events import CallsCounted, Event, Fact, RuntimeErrorObserved, observation_id
from cardtrail.events.fact import dump
from cardtrail.events.model.report import Call
from cardtrail.services.observer.receive import Received
from cardtrail.services.observer.translate import Reading, read_error
from cardtrail.services.percentile import percentile

SOURCE = "cardtrail/observer"
_ALIKE = 20
"""Failures of one kind that are told one by one; more would change no verdict, and all are counted."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Through which report it goes (stream sequence), and when the broker stored that one."""

    through: int
    at: datetime


@dataclass(slots=True)
class _Tally:
    errors: int = 0
    latencies: list[float] = field(default_factory=list)


Group = tuple[str, str, str, str, str | None]


def observed(reports: Iterable[Received], batch: Batch) -> list[Fact]:
    """The facts of a batch: failures first, so that nobody weighs a count before what it counts."""
    held = list(reports)
    events: list[Event] = [*_failures(held), *_counts(held)]
    seen: defaultdict[bytes, int] = defaultdict(int)
    facts = []
    for event in events:
        key = dump([event.kind, *_key_of(event)])
        seen[key] += 1
        identifier = _identifier(batch, key, seen[key])
        facts.append(Fact(id=identifier, source=SOURCE, time=batch.at, data=event))
    return facts


def _failures(reports: list[Received]) -> Iterator[RuntimeErrorObserved]:
    alike: defaultdict[object, int] = defaultdict(int)
    for report in reports:
        for call in report.calls:
            if call.error is None:
                continue
            reading = read_error(call, call.error, report.held.profile)
            kind = (*_group(report, call), reading.name, reading.contradicts, reading.attribution)
            alike[kind] += 1
            if alike[kind] <= (_ALIKE if reading.contradicts is not None else 1):
                yield _failure(report, call, reading)


def _failure(report: Received, call: Call, reading: Reading) -> RuntimeErrorObserved:
    error = call.error
    detail = "; ".join(part for part in (reading.detail, error.message if error else "") if part)
    return RuntimeErrorObserved(
        agent=report.agent,
        principal=report.principal,
        workflow=report.workflow,
        operation=call.operation,
        skill=call.skill,
        error=reading.name,
        code=error.code if error else None,
        detail=detail,
        profile_digest=report.held.digest,
        contradicts=reading.contradicts,
        attribution=reading.attribution,
        report=report.report,
    )


def _counts(reports: list[Received]) -> Iterator[CallsCounted]:
    tallies: defaultdict[tuple[Group, str], _Tally] = defaultdict(_Tally)
    for report in reports:
        for call in report.calls:
            tally = tallies[(_group(report, call), call.at)]
            tally.errors += call.error is not None
            tally.latencies.append(call.latency_ms)
    for (group, minute), tally in sorted(tallies.items(), key=lambda item: (str(item[0][0]), item[0][1])):
        principal, workflow, agent, operation, skill = group
        latencies = sorted(tally.latencies)
        yield CallsCounted(
            agent=agent,
            principal=principal,
            workflow=workflow,
            operation=operation,
            skill=skill,
            minute=minute,
            calls=len(latencies),
            errors=tally.errors,
            p50_ms=percentile(latencies, 50),
            p95_ms=percentile(latencies, 95),
            p99_ms=percentile(latencies, 99),
        )


def _group(report: Received, call: Call) -> Group:
    return (report.principal, report.workflow, report.agent, call.operation, call.skill)


def _key_of(event: Event) -> tuple[object, ...]:
    members = vars(event)
    named = ("principal", "workflow", "agent", "operation", "skill", "minute", "error", "attribution")
    return tuple(members.get(name) for name in named)


def _identifier(batch: Batch, key: bytes, number: int) -> UUID:
    seed = sha256(b"%d\0%s\0%d" % (batch.through, key, number)).digest()
    return observation_id(int(batch.at.timestamp() * 1000), seed[:10])
