"""Two cards that take turns are one finding; a way back is a recovery."""

import pytest

from cardtrail.events.change_decided import ChangeDecided
from cardtrail.events.model.policy import Policy
from cardtrail.events.model.profile import Profile
from cardtrail.services.verdict.rules import RULES
from tests.services.decider.scene import Scene, profile, rules, settled

A = profile()
B = profile(output=("application/pdf",))
C = profile(binding="HTTP+JSON")


def walk(scene: Scene, *states: Profile) -> list[list[ChangeDecided]]:
    return [scene.observe(state) for state in states]


def verdicts(steps: list[list[ChangeDecided]]) -> list[str]:
    return ["".join(one.verdict for one in step) for step in steps]


def test_there_and_back_is_a_recovery() -> None:
    steps = walk(settled(), B, A)
    assert verdicts(steps) == ["breaking", "compatible"]
    assert steps[1][0].recovered


def test_a_round_trip_over_a_third_card_is_a_recovery() -> None:
    steps = walk(settled(), B, C, A)
    assert verdicts(steps) == ["breaking", "review", "compatible"]
    assert "card-flapping" not in rules(steps[2][0])


def test_the_second_return_is_flapping_and_the_worst_verdict_stands() -> None:
    scene = settled()
    steps = walk(scene, B, A, B)
    assert verdicts(steps) == ["breaking", "compatible", "breaking"]
    assert rules(steps[2][0]) == {"output-modes-disjoint", "card-flapping"}
    assert verdicts(walk(scene, A, B, A, B, A)) == [""] * 5


def test_flapping_that_begins_on_the_good_side_is_no_less_bad() -> None:
    steps = walk(settled(B), A, B, A)
    assert verdicts(steps)[-1] == "breaking"
    assert "card-flapping" in rules(steps[-1][0])


@pytest.mark.parametrize(("last", "verdict"), [(A, "compatible"), (B, "breaking"), (C, "review")])
def test_three_equal_observations_end_it(last: Profile, verdict: str) -> None:
    scene = settled()
    walk(scene, B, A, B, A, last)
    told = [*scene.fetch(equal=True), *scene.fetch(equal=True)]
    assert [(one.verdict, "card-flapping" in rules(one)) for one in told] == [(verdict, False)]
    assert scene.fetch(equal=True) == []


def test_another_card_before_the_third_observation_starts_the_count_again() -> None:
    scene = settled()
    walk(scene, B, A, B)
    scene.fetch(equal=True)
    assert verdicts(walk(scene, A)) == [""]
    assert scene.fetch(equal=True) == []
    (told,) = scene.fetch(equal=True)
    assert told.verdict == "compatible"


def test_a_run_of_equal_observations_counts_as_many() -> None:
    scene = settled()
    walk(scene, B, A, B, A)
    (told,) = scene.fetch(equal=True, checks=2)
    assert (told.verdict, told.recovered) == ("compatible", True)


def test_version_strings_that_take_turns_are_flapping_too() -> None:
    scene = settled()
    told = [scene.observe(A, version=version) for version in ("4.0.0", "3.2.0", "4.0.0", "3.2.0", "4.0.0", "3.2.0")]
    assert verdicts(told) == ["review", "compatible", "review", "", "", ""]


def test_the_rule_says_by_which_numbers_flapping_begins_and_ends() -> None:
    rule, numbers = RULES["card-flapping"], {3: "three", 4: "four"}
    assert f"{numbers[Policy().flap_settle]} times in a row" in rule.title
    assert f"{numbers[Policy().flap_settle]} times in a row" in " ".join(rule.explanation.split())
    assert f"within {numbers[Policy().flap_window]} changes" in rule.explanation
