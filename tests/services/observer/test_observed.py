"""Reports as facts: as few as there are groups, the same ids whenever the same batch is told."""

from datetime import UTC, datetime, timedelta
from typing import Any

from cardtrail.events import CallsCounted, Fact, RuntimeErrorObserved
from cardtrail.events.model.report import Call, ReportedError
from cardtrail.services.observer.known import Held
from cardtrail.services.observer.observed import Batch, observed
from cardtrail.services.observer.receive import Received
from tests.projections.facts import profile

AT = datetime(2026, 11, 30, 12, tzinfo=UTC)
BATCH = Batch(through=7, at=AT)
OFF = ReportedError(name="UnsupportedOperationError")


def call(error: ReportedError | None = None, **members: Any) -> Call:
    given = {"at": "2026-11-30T12:00:00Z", "operation": "SendStreamingMessage", "skill": "quote", "latency_ms": 10}
    return Call.model_validate({**given, **members, "error": error})


def report(*calls: Call, workflow: str = "trip", name: str = "r") -> Received:
    held = Held(digest="sha256:p", profile=profile())
    return Received(agent="pricing", principal="public", workflow=workflow, report=name, held=held, calls=calls)


def counts(facts: list[Fact]) -> list[CallsCounted]:
    return [fact.data for fact in facts if isinstance(fact.data, CallsCounted)]


def errors(facts: list[Fact]) -> list[RuntimeErrorObserved]:
    return [fact.data for fact in facts if isinstance(fact.data, RuntimeErrorObserved)]


def test_calls_of_a_minute_are_one_fact_with_their_errors_and_latencies() -> None:
    first = report(*[call(latency_ms=n) for n in range(100)], call(OFF, latency_ms=1_000))
    (made,) = counts(observed([first, report(call())], BATCH))
    assert (made.calls, made.errors, made.minute) == (102, 1, "2026-11-30T12:00:00Z")
    assert (made.p50_ms, made.p95_ms, made.p99_ms) == (49, 95, 99)


def test_groups_are_workflow_operation_skill_and_minute() -> None:
    facts = observed(
        [
            report(call(), call(operation="SendMessage"), call(skill=None), call(at="2026-11-30T12:01:00Z")),
            report(call(), workflow="other"),
        ],
        BATCH,
    )
    assert sorted(made.calls for made in counts(facts)) == [1] * 5


def test_what_contradicts_a_claim_is_told_one_by_one_up_to_what_can_matter() -> None:
    facts = observed([report(*[call(OFF)] * 3), report(*[call(OFF)] * 497)], BATCH)
    assert len(errors(facts)) == 20
    assert {made.contradicts.kind for made in errors(facts) if made.contradicts} == {"streaming"}
    assert counts(facts)[0].errors == 500


def test_other_failures_are_told_once_a_kind() -> None:
    slow, away = ReportedError(local="timeout"), ReportedError(status=503)
    facts = observed([report(*[call(slow)] * 50, *[call(away)] * 50)], BATCH)
    assert sorted(made.attribution for made in errors(facts)) == ["network", "throttle"]


def test_the_same_batch_is_the_same_facts_and_the_next_is_not() -> None:
    reports = [report(call(OFF), call(OFF), call())]
    first, again = observed(reports, BATCH), observed(reports, BATCH)
    assert first == again
    assert len({fact.id for fact in first}) == len(first)
    later = observed(reports, Batch(through=8, at=AT + timedelta(milliseconds=1)))
    assert not {fact.id for fact in first} & {fact.id for fact in later}
    assert max(fact.id.int >> 80 for fact in first) < min(fact.id.int >> 80 for fact in later)
