"""What probes and calls showed: it counts while its claim stands, and only a probe that holds clears a contradiction."""

import pytest

from cardtrail.events.model.evidence import Claim
from cardtrail.events.model.policy import Policy
from cardtrail.events.model.profile import SkillProfile
from cardtrail.services.decider.deadlines import wanted
from tests.services.decider.scene import JSON, Scene, lock, outline, profile, rules, settled

A = profile()
B = profile(streaming=False)
OUTPUT = Claim(kind="output-mode", skill="itinerary-pricing", value="application/json")
DAY = 86_400


def test_a_contradicting_probe_breaks_what_needs_the_claim_and_names_itself() -> None:
    scene = settled()
    (told,) = scene.probe("contradicted", A)
    assert (told.verdict, told.action, rules(told)) == ("breaking", "stop", {"claim-contradicted"})
    assert told.causes[0] == scene.log[-1].fact.id
    assert told.degraded == ("streaming",)
    assert scene.probe("contradicted", A) == []


def test_an_answer_of_another_media_type_breaks_the_skill() -> None:
    (told,) = settled().probe("contradicted", A, OUTPUT)
    assert rules(told) == {"claim-contradicted"}


def test_a_probe_that_holds_clears_it_and_an_inconclusive_one_does_not() -> None:
    scene = settled()
    scene.probe("contradicted", A)
    assert scene.probe("inconclusive", A) == []
    (told,) = scene.probe("held", A)
    assert (told.verdict, told.recovered) == ("compatible", True)


def test_taking_a_claim_back_and_making_it_again_clears_nothing() -> None:
    scene = settled()
    scene.probe("contradicted", A)
    told = [*scene.observe(B), *scene.observe(A)]
    assert [rules(one) for one in told] == [{"streaming-withdrawn", "claim-contradicted"}, {"claim-contradicted"}]


def test_a_probe_of_an_earlier_profile_counts_while_its_claim_is_unchanged() -> None:
    more = A.model_copy(update={"skills": {**A.skills, "weather": SkillProfile(input=JSON)}})
    scene = settled()
    scene.observe(more)
    assert rules(scene.probe("contradicted", A)[0]) == {"claim-contradicted"}
    other = settled()
    other.observe(B)
    assert other.probe("contradicted", A) == []


def test_a_probe_of_a_profile_nobody_knows_says_nothing() -> None:
    assert settled().probe("contradicted", profile(binding="GRPC")) == []


def demanding() -> Scene:
    scene = Scene()
    scene.declare(Policy(evidence_max_age_s=DAY))
    scene.track()
    scene.observe(A)
    needs = lock().requires.model_copy(update={"skills": {}})
    scene.pin(lock(requires=needs), baseline=A)
    scene.observe(A)
    return scene


def test_evidence_that_is_demanded_and_missing_is_a_review_until_a_probe_holds() -> None:
    scene = demanding()
    assert rules(scene.told[-1].data) == {"claim-unverified"}  # type: ignore[arg-type]
    (told,) = scene.probe("held", A)
    assert told.verdict == "compatible"


def test_evidence_ages_as_a_fact() -> None:
    scene = demanding()
    scene.probe("held", A)
    assert [one.what for one in wanted(scene.rows).values()] == ["evidence"]
    (told,) = scene.strike()
    assert (told.verdict, told.cause, rules(told)) == ("review", "time", {"claim-unverified"})
    assert wanted(scene.rows) == {}


def test_what_held_counts_no_longer_when_the_claim_was_changed_since() -> None:
    scene = demanding()
    scene.probe("held", A)
    scene.observe(B)
    (told,) = scene.observe(A)
    assert rules(told) == {"claim-unverified"}


def test_one_report_degrades_its_own_workflow_alone() -> None:
    scene = settled()
    scene.pin(lock(workflow="other"), baseline=A)
    scene.observe(A)
    (told,) = scene.fail()
    assert (told.workflow, told.verdict, told.action, told.degraded) == (
        "trip",
        "compatible",
        "allow-degraded",
        ("streaming",),
    )
    assert scene.fail(claim=None) == []


def test_three_of_five_calls_break_it() -> None:
    scene = settled()
    for _ in range(3):
        scene.fail()
    (told,) = scene.count(calls=5, errors=3)
    assert (told.verdict, rules(told)) == ("breaking", {"claim-contradicted"})
    (held,) = scene.probe("held", A)
    assert (held.verdict, held.recovered) == ("compatible", True)


@pytest.mark.parametrize(("reports", "calls", "errors"), [(2, 5, 2), (3, 100, 3), (3, 3, 3)])
def test_fewer_or_rarer_contradictions_do_not(reports: int, calls: int, errors: int) -> None:
    scene = settled()
    told = [one for _ in range(reports) for one in scene.fail()]
    told += scene.count(calls=calls, errors=errors)
    assert {verdict for verdict, _ in outline(told)} == {"compatible"}


def test_calls_that_go_well_again_end_the_degradation() -> None:
    scene = settled()
    scene.fail()
    (told,) = scene.count(calls=50)
    assert (told.action, told.degraded) == ("allow", ())
    assert scene.count(calls=50) == []


def test_a_new_pin_forgives_calls_but_no_probe() -> None:
    scene = settled()
    scene.fail()
    scene.pin(baseline=A)
    (told,) = scene.observe(A)
    assert told.action == "allow"
    scene.probe("contradicted", A)
    scene.pin(baseline=A)
    (told,) = scene.observe(A)
    assert rules(told) == {"claim-contradicted"}
