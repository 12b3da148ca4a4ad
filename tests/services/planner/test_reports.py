"""Calls waiting to be reported: none is told twice, none grows without bound, errors are kept longest."""

from itertools import count

from hypothesis import given
from hypothesis import strategies as st

from cardtrail.events.fact import dump
from cardtrail.events.model.report import Call, Report, ReportedError
from cardtrail.services.observer.receive import LIMITS
from cardtrail.services.planner.reports import BATCH, MOST_CALLS, MOST_ERRORS, Reports

FAILED = ReportedError(name="UnsupportedOperationError", code=-32004)


def reports() -> Reports:
    numbers = count(1)
    return Reports("trip", "public", lambda: f"r{next(numbers)}")


def call(number: int = 0, *, failed: bool = False) -> Call:
    return Call(at=f"2026-11-30T12:00:{number:09d}Z", operation="SendMessage", error=FAILED if failed else None)


def drained(held: Reports) -> list[Report]:
    found = []
    while (report := held.next()) is not None:
        found.append(report)
        held.stored()
    return found


def test_a_report_keeps_its_id_until_it_is_stored() -> None:
    held = reports()
    held.add("a", "d", call())
    first = held.next()
    held.add("a", "d", call(1))
    assert held.next() == first
    held.stored()
    second = held.next()
    assert first is not None
    assert second is not None
    assert (first.id, second.id) == ("r1", "r2")


def test_an_error_and_a_full_batch_want_to_leave_at_once() -> None:
    held = reports()
    assert not held.add("a", "d", call())
    assert held.add("a", "d", call(failed=True))
    for number in range(BATCH - 2):
        assert not held.add("a", "d", call(number))
    assert held.add("a", "d", call())


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("de"), st.booleans()), max_size=300))
def test_every_call_is_reported_once_under_its_agent_and_profile(calls: list[tuple[str, str, bool]]) -> None:
    held = reports()
    for number, (agent, digest, failed) in enumerate(calls):
        held.add(agent, digest, call(number, failed=failed))
    told = drained(held)
    assert len(held) == 0
    assert all(len(report.calls) <= BATCH for report in told)
    assert sorted((one.at, report.agent, report.profile_digest) for report in told for one in report.calls) == sorted(
        (call(number).at, agent, digest) for number, (agent, digest, _) in enumerate(calls)
    )


def test_what_does_not_fit_is_dropped_oldest_success_first_and_counted() -> None:
    held = reports()
    held.add("a", "d", call(0, failed=True))
    for number in range(MOST_CALLS + 5):
        held.add("a", "d", call(number + 1))
    assert (len(held), held.dropped) == (MOST_CALLS + 1, 5)
    told = [one for report in drained(held) for one in report.calls]
    assert told[0].error is not None
    assert call(5).at not in {one.at for one in told}


def test_the_largest_report_is_one_that_the_observer_reads() -> None:
    held = reports()
    text = "\U0001f9ed" * 1_000
    wide = Call(
        at=text[:30], operation="S" * 60, skill="\U0001f9ed" * 200, extensions=(text,) * 99, sent_modes=(text,) * 99,
        accepted_modes=(text,) * 99, error=ReportedError(message="\U0001f9ed" * 300),
    )  # fmt: skip
    for _ in range(BATCH):
        held.add("a", "d", wide)
    report = held.next()
    assert report is not None
    assert len(report.calls) == BATCH
    assert len(dump(report)) < LIMITS.size


def test_errors_have_a_bound_of_their_own() -> None:
    held = reports()
    for number in range(MOST_ERRORS + 1):
        held.add("a", "d", call(number, failed=True))
    assert (len(held), held.dropped) == (MOST_ERRORS, 1)
