"""Two courses of verdicts side by side: stretches that differ, and none where they do not."""

from hypothesis import given
from hypothesis import strategies as st

from cardtrail.events import ChangeDecided
from cardtrail.services.audit.whatif import Course, Verdicts, differing

ACTIONS = {"compatible": "allow", "review": "probe", "breaking": "stop"}


def decision(verdict: str, at: int, workflow: str = "trip") -> ChangeDecided:
    return ChangeDecided.model_validate(
        {
            "agent": "pricing",
            "workflow": workflow,
            "verdict": verdict,
            "action": ACTIONS[verdict],
            "valid_from": f"2026-11-30T08:00:{at:02}Z",
            "considered_through": at,
            "lock_digest": "",
            "rules_version": "1",
            "policy_digest": "",
        }
    )


def course(steps: list[tuple[int, str]]) -> Course:
    made = Course()
    for at, verdict in steps:
        made.decide(decision(verdict, at), at)
    return made


def test_a_stretch_begins_and_ends_where_the_verdicts_part_and_meet() -> None:
    was = course([(1, "compatible"), (5, "review"), (9, "compatible")])
    would = course([(1, "compatible"), (5, "breaking"), (9, "compatible")])
    (one,) = differing(was, would)
    assert (one.first, one.until, one.was.verdict, one.would.verdict) == (5, 9, "review", "breaking")
    assert (one.since, one.until_at) == ("2026-11-30T08:00:05Z", "2026-11-30T08:00:09Z")


def test_a_stretch_that_has_not_ended_is_still_so() -> None:
    (one,) = differing(course([(1, "compatible"), (3, "breaking")]), course([(1, "compatible")]))
    assert (one.until, one.until_at) == (None, None)


def test_a_lock_that_would_not_have_been_decided_is_undecided() -> None:
    (one,) = differing(course([]), course([(4, "review")]))
    assert (one.was, one.would.verdict) == (Verdicts(), "review")


steps = st.lists(
    st.tuples(st.integers(1, 20), st.sampled_from(sorted(ACTIONS))), max_size=8, unique_by=lambda step: step[0]
).map(sorted)


@given(steps, steps)
def test_the_stretches_are_exactly_the_sequences_at_which_a_plain_look_differs(
    one: list[tuple[int, str]], other: list[tuple[int, str]]
) -> None:
    was, would = course(one), course(other)
    held = {sequence for each in differing(was, would) for sequence in range(each.first, (each.until or 25))}

    def at(steps: list[tuple[int, str]], sequence: int) -> str | None:
        return next((verdict for place, verdict in reversed(steps) if place <= sequence), None)

    assert held == {sequence for sequence in range(1, 25) if at(one, sequence) != at(other, sequence)}


@given(steps)
def test_a_course_never_differs_from_itself(one: list[tuple[int, str]]) -> None:
    assert list(differing(course(one), course(one))) == []
