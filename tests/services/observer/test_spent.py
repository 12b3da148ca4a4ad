"""What the reports of one workflow may come to: bounded by the hour, the same when told again, nobody else's business."""

from datetime import timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from cardtrail.events import Fact, RuntimeErrorObserved
from cardtrail.projections.projection import Rows
from cardtrail.services.observer.observed import Batch, observed
from cardtrail.services.observer.spent import alarms, keep, within
from tests.services.observer.test_observed import AT, OFF, call, report


def made(count: int, through: int = 7, **members: Any) -> list[Fact]:
    """So many facts of one workflow."""
    minutes = [call(at=f"2026-11-30T{number // 60:02}:{number % 60:02}:00Z") for number in range(count)]
    return observed([report(*minutes, **members)], Batch(through=through, at=AT))


@given(st.lists(st.integers(0, 12), max_size=12), st.integers(1, 40))
def test_in_an_hour_as_many_are_told_as_may_be_and_the_rest_is_counted(batches: list[int], most: int) -> None:
    rows, told = Rows(), 0
    for place, size in enumerate(batches):
        facts, spent = within(made(size, place), AT + timedelta(minutes=place), rows, most)
        keep(rows, spent)
        told += len(facts)
    assert told == min(most, sum(batches))
    over = sum(batches) - told
    said = f"reports of trip made {most} facts in the hour from 2026-11-30T12:00Z; {over} more, with {over} calls, were not told"
    assert list(alarms(rows, AT)) == ([said] if over else [])


def test_a_batch_that_is_told_again_before_it_was_kept_is_the_same_facts() -> None:
    rows = Rows()
    keep(rows, within(made(3), AT, rows, 5)[1])
    first, again = (within(made(4, through=8), AT, rows, 5) for _ in range(2))
    assert first == again
    assert len(first[0]) == 2


def test_other_workflows_other_principals_and_the_next_hour_have_bounds_of_their_own() -> None:
    rows, after = Rows(), AT + timedelta(hours=1)
    for facts, at in ((made(9), AT), (made(9, workflow="other"), AT), (made(9), after)):
        told, spent = within(facts, at, rows, 5)
        keep(rows, spent)
        assert len(told) == 5
    assert [line.partition(" made")[0] for line in alarms(rows, after)] == ["reports of trip", "reports of other"]
    told, spent = within(made(5), after + timedelta(hours=1), rows, 5)
    keep(rows, spent)
    assert len(told) == 5
    assert [line.partition(" made")[0] for line in alarms(rows, after)] == ["reports of other"]
    assert list(alarms(rows, AT + timedelta(hours=30))) == []


def test_of_what_may_still_be_told_failures_come_first() -> None:
    told, _ = within(observed([report(call(OFF), *[call(at="12")] * 9)], Batch(through=7, at=AT)), AT, Rows(), 1)
    assert [type(fact.data) for fact in told] == [RuntimeErrorObserved]


def test_what_a_workflow_spent_is_forgotten_once_no_alarm_looks_back_that_far() -> None:
    rows = Rows()
    for day in range(60):
        at = AT + timedelta(days=day)
        told, spent = within(made(9, workflow=f"flow-{day}"), at, rows, 5)
        keep(rows, spent)
        assert len(told) == 5
        assert [line.partition(" made")[0] for line in alarms(rows, at)][-1] == f"reports of flow-{day}"
        assert len(rows.table("spent")) <= 2
