"""What a view tells: each change once, freshness apart, stops before their routes, and nothing that is not this workflow's."""

from datetime import timedelta
from typing import Any
from uuid import UUID

from cardtrail.events import ChangeDecided, Fact
from cardtrail.events.model.finding import Finding
from cardtrail.services.planner.permission import Blindness
from cardtrail.services.planner.view import View
from tests.services.planner.routes import LATER, NOW, SKILL, TRIP, candidate, row, stopped

KEY = ("public", TRIP, SKILL)


def live() -> View:
    view = View(TRIP, "public", NOW)
    view.take_route(KEY, row(candidate()), 7)
    view.caught_up_with({SKILL})
    view.blind = None
    assert [update.kind for update in view.changes(NOW)] == ["route"]
    return view


def decision(action: Any = "stop", **members: Any) -> ChangeDecided:
    finding = Finding(rule="skill-removed", severity="breaking", subject="skills[quote]", message="gone")
    told = {
        "agent": "pricing", "workflow": TRIP, "verdict": "breaking", "action": action, "findings": (finding,),
        "valid_from": "2026-11-30T12:00:00Z", "considered_through": 8, "lock_digest": "l", "rules_version": "1",
        "policy_digest": "p",
    }  # fmt: skip
    return ChangeDecided.model_validate(told | members)


def hear(view: View, event: ChangeDecided, sequence: int) -> None:
    view.take_decision(Fact(id=UUID(int=sequence), source="test", time=NOW, data=event), event, sequence)


def test_the_same_route_again_is_no_news() -> None:
    view = live()
    view.take_route(KEY, row(candidate()), 8)
    assert view.changes(NOW) == []


def test_another_observation_is_told_as_freshness() -> None:
    view = live()
    view.take_route(KEY, row(candidate(judged_through=9, stale_after=LATER + timedelta(hours=1))), 9)
    (update,) = view.changes(NOW)
    assert (update.kind, update.skill, update.through) == ("freshness", SKILL, 9)
    assert update.permission is not None
    assert update.permission.judged_through == 9


def test_a_route_grows_stale_by_the_clock_alone() -> None:
    view = live()
    (update,) = view.changes(LATER + timedelta(seconds=1))
    assert update.permission is not None
    assert (update.kind, update.permission.answer) == ("route", "unknown")


def test_a_stop_counts_before_its_route_and_is_forgotten_with_it() -> None:
    view = live()
    hear(view, decision(), 8)
    (update,) = view.changes(NOW)
    assert update.permission is not None
    assert (update.permission.answer, update.permission.reasons[0].detail) == ("no", "skill-removed")
    assert (update.permission.verdict, update.permission.judged_through) == ("breaking", 8)
    view.take_route(KEY, row(stopped()), 8)
    view.take_route(KEY, row(candidate(decision="pricing-2")), 9)
    assert view.permission(SKILL, NOW).answer == "yes"


def test_a_decision_that_no_route_follows_ends_when_the_routes_are_past_it() -> None:
    view = live()
    hear(view, decision(), 8)
    assert view.permission(SKILL, NOW).answer == "no"
    for through in (8, 9):
        view.take_route(("public", TRIP, "book"), row(candidate("hotels"), skill="book"), through)
    assert view.permission(SKILL, NOW).answer == "yes"


def test_routes_of_one_commit_arrive_one_by_one_and_none_falls_back_to_what_was_before_the_decision() -> None:
    view = live()
    other = ("public", TRIP, "book")
    view.take_route(other, row(candidate(), skill="book"), 7)
    view.changes(NOW)
    hear(view, decision(), 8)
    assert len(view.changes(NOW)) == 2
    gone = stopped(decision=str(UUID(int=8)), judged_through=8, lock_digest="l", rules=("skill-removed",))
    gone = gone.model_copy(update={"profile_digest": "", "watched": "pricing"})
    for key in (KEY, other):
        view.take_route(key, row(gone, skill=key[2]), 8)
        assert [update.kind for update in view.changes(NOW) if update.kind != "freshness"] == []
        assert view.permission("book", NOW).answer == view.permission(SKILL, NOW).answer == "no"


def test_the_reason_of_a_stop_is_a_rule_that_stops_whichever_of_decision_and_route_comes_first() -> None:
    view = live()
    found = [
        Finding(rule=rule, severity=severity, subject="s", message="m")
        for rule, severity in (("agent-version-changed", "review"), ("streaming-withdrawn", "breaking"))
    ]
    event = decision(findings=tuple(found))
    hear(view, event, 8)
    before = view.permission(SKILL, NOW).reasons
    view.take_route(KEY, row(stopped(rules=event.rules)), 8)
    assert before == view.permission(SKILL, NOW).reasons
    assert [reason.detail for reason in before] == ["streaming-withdrawn"]


def test_the_return_is_heard_before_its_route_when_it_is_about_the_lock_in_force() -> None:
    view = live()
    view.take_route(KEY, row(stopped(lock_digest="l")), 8)
    hear(view, decision("allow", verdict="compatible", findings=(), lock_digest="old"), 9)
    assert view.permission(SKILL, NOW).answer == "no"
    hear(view, decision("allow", verdict="compatible", findings=()), 10)
    said = view.permission(SKILL, NOW)
    assert (said.answer, said.verdict, said.reasons) == ("yes", "compatible", ())


def test_a_stop_about_another_lock_counts_all_the_same() -> None:
    view = live()
    hear(view, decision(lock_digest="newer"), 9)
    assert view.permission(SKILL, NOW).answer == "no"


def test_decisions_of_others_and_of_the_past_are_not_ours() -> None:
    view = live()
    for told, sequence in ((decision(workflow="other"), 9), (decision(principal="b"), 9), (decision(), 7)):
        hear(view, told, sequence)
    assert view.permission(SKILL, NOW).answer == "yes"


def test_routes_of_other_workflows_are_passed_over() -> None:
    view = live()
    assert not view.take_route(("public", "other", "x"), row(candidate(), skill="x"), 9)
    assert list(view.routes) == [SKILL]


def test_a_route_that_is_gone_is_withdrawn_once() -> None:
    view = live()
    view.take_route(KEY, None, 9)
    assert [(update.kind, update.skill) for update in view.changes(NOW)] == [("withdrawn", SKILL)]
    assert view.changes(NOW) == []
    assert view.permission(SKILL, NOW).answer == "unknown"


def test_what_did_not_come_again_after_an_absence_is_no_more() -> None:
    view = live()
    view.take_route(("public", TRIP, "book"), row(candidate(), skill="book"), 8)
    view.changes(NOW)
    view.caught_up_with({SKILL})
    assert [(update.kind, update.skill) for update in view.changes(NOW)] == [("withdrawn", "book")]


def test_members_of_a_newer_tracker_are_left_out_and_a_route_beyond_reading_stops() -> None:
    view = live()
    view.take_route(KEY, row(candidate()) | {"new": 1}, 8)
    assert view.permission(SKILL, NOW).answer == "yes"
    view.take_route(KEY, row(candidate()) | {"when_blind": "guess"}, 9)
    assert view.permission(SKILL, NOW).answer == "unknown"


def test_a_view_from_a_snapshot_is_blind_since_the_snapshot_was_true() -> None:
    view = live()
    view.known_at = NOW - timedelta(minutes=5)
    again = View(TRIP, "public", NOW)
    assert again.snapshot(NOW) == []
    again.restore(view.saved(NOW))
    assert again.blind == Blindness(since=NOW - timedelta(minutes=5), why="snapshot")
    assert [update.kind for update in again.snapshot(NOW)] == ["route", "blind"]
    assert again.permission(SKILL, NOW).source == "snapshot"
