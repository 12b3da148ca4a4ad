"""Yes, no or unknown: who is chosen, why others are not, and what blindness and age do to an answer."""

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardtrail.services.planner.permission import Blindness, Known, Permission, decide
from cardtrail.services.planner.values import Route
from tests.services.planner.routes import LATER, NOW, SKILL, TRIP, candidate, pending, route, stopped

CUT = Blindness(since=NOW - timedelta(minutes=3), why="no-connection")


def asked(held: Route | None, now: Any = NOW, skill: str = SKILL, **known: Any) -> Permission:
    skills = (held.skill,) if held else ()
    return decide(Known(workflow=TRIP, route=held, **{"skills": skills} | known), skill, now)


def codes(permission: Permission) -> list[tuple[str, str]]:
    return [(reason.code, reason.agent) for reason in permission.reasons]


def test_the_first_usable_candidate_is_used_under_its_own_name_of_the_skill() -> None:
    said = asked(route(candidate("pricing"), candidate("fares", skill="fare-quote")))
    assert (said.answer, said.agent, said.agent_skill, codes(said)) == ("yes", "pricing", SKILL, [])
    assert said.fresh
    assert bool(said) is said.allowed is True


def test_a_stopped_candidate_gives_way_and_says_by_which_rules() -> None:
    held = route(stopped("pricing", rules=("input-mode-removed",)), candidate("fares", skill="fare-quote"))
    said = asked(held)
    assert (said.agent, said.agent_skill) == ("fares", "fare-quote")
    assert [(one.code, one.agent, one.detail) for one in said.reasons] == [("stopped", "pricing", "input-mode-removed")]


def test_when_all_are_stopped_the_answer_is_no_and_names_the_person() -> None:
    said = asked(route(stopped("pricing"), stopped("fares"), person="the travel desk"))
    assert (said.answer, said.agent, said.person, bool(said)) == ("no", None, "the travel desk", False)
    assert (said.verdict, said.action) == ("breaking", "stop")


@pytest.mark.parametrize("second", [pending("fares"), candidate("fares", usable=False, verdict="unknown", action=None)])
def test_one_that_nobody_has_judged_makes_the_answer_unknown_not_no(second: Any) -> None:
    said = asked(route(stopped("pricing"), second))
    assert (said.answer, bool(said)) == ("unknown", False)
    assert codes(said)[0] == ("stopped", "pricing")
    assert codes(said)[1][0] in {"pending", "unjudged"}


def test_a_review_lets_new_delegations_pass_and_says_so() -> None:
    said = asked(route(candidate(verdict="review", action="probe", rules=("interface-changed",))))
    assert (said.answer, said.reasons[0].code, said.reasons[0].detail) == ("yes", "review", "interface-changed")


def test_operations_to_avoid_are_named() -> None:
    said = asked(route(candidate(action="allow-degraded", degraded=("streaming",))))
    assert (said.answer, said.degraded, codes(said)) == ("yes", ("streaming",), [("degraded", "pricing")])


def test_silence_beyond_the_budget_passes_to_one_that_was_heard() -> None:
    old = candidate("pricing", stale_after=NOW - timedelta(seconds=1))
    said = asked(route(old, candidate("fares")))
    assert (said.agent, said.fresh, codes(said)) == ("fares", True, [("stale", "pricing")])
    assert asked(route(old)).answer == "unknown"


def test_the_instant_itself_is_still_fresh() -> None:
    held = route(candidate())
    assert asked(held, LATER).fresh
    assert asked(held, LATER + timedelta(microseconds=1)).answer == "unknown"


def test_where_the_lock_allows_it_an_old_judgement_is_used_and_called_stale() -> None:
    said = asked(route(candidate(), when_blind="allow"), LATER + timedelta(seconds=1))
    assert (said.answer, said.agent, said.fresh, codes(said)) == ("yes", "pricing", False, [("stale", "pricing")])


def test_blind_the_answer_is_unknown_unless_the_lock_allows() -> None:
    said = asked(route(candidate()), blind=CUT)
    assert (said.answer, said.fresh, said.blind, codes(said)) == ("unknown", False, CUT, [("blind", "pricing")])
    said = asked(route(candidate(), when_blind="allow"), blind=CUT)
    assert (said.answer, said.fresh, codes(said)) == ("yes", False, [("blind", "")])


def test_blind_a_stop_stays_a_stop() -> None:
    assert asked(route(stopped()), blind=CUT).answer == "no"
    assert asked(route(stopped(), when_blind="allow"), blind=CUT).answer == "no"


def test_before_catching_up_nothing_is_known() -> None:
    said = asked(None, caught_up=False)
    assert (said.answer, codes(said)) == ("unknown", [("not-caught-up", "")])


def test_a_skill_that_no_lock_names_is_unknown_and_the_others_are_named() -> None:
    assert "quote" in asked(None, skill="book", skills=("quote",)).reasons[0].detail
    assert asked(None).reasons[0].code == "not-locked"


def test_several_locks_naming_one_skill_are_flagged() -> None:
    said = asked(route(candidate("pricing"), candidate("fares"), ambiguous=True))
    assert (said.agent, codes(said)) == ("pricing", [("ambiguous", "")])


def test_a_snapshot_says_from_when_it_is() -> None:
    kept = Blindness(since=NOW - timedelta(hours=2), why="snapshot")
    said = asked(route(candidate(), when_blind="allow"), blind=kept, source="snapshot")
    assert (said.source, said.as_of) == ("snapshot", kept.since)


STANDINGS = st.sampled_from([candidate, stopped, pending])


@given(
    st.lists(STANDINGS, max_size=4),
    st.sampled_from(["allow", "stop"]),
    st.sampled_from([None, CUT]),
    st.integers(-10, 10),
)
def test_never_yes_for_one_that_is_stopped_pending_or_too_old_to_trust(
    makers: list[Any], when_blind: str, blind: Any, minutes: int
) -> None:
    held = route(*(make(f"a{number}") for number, make in enumerate(makers)), when_blind=when_blind)
    now = LATER + timedelta(minutes=minutes)
    said = asked(held, now, blind=blind)
    chosen = next((one for one in held.candidates if one.agent == said.agent), None)
    assert (said.answer == "yes") == (chosen is not None)
    if chosen is not None:
        assert chosen.usable
        assert when_blind == "allow" or (blind is None and minutes <= 0)
    else:
        assert {one.agent for one in held.candidates} == {reason.agent for reason in said.reasons}
    assert said.fresh == (chosen is not None and blind is None and minutes <= 0)
