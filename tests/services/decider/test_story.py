"""The travel planner's story: what is told, in which words, and what is not."""

from collections.abc import Callable

import pytest

from cardtrail.events.model.profile import Profile
from tests.services.decider.scene import Scene, outline, profile, rules, settled

Step = Callable[[Scene], list]

PDF = profile(output=("application/pdf",))


def test_the_first_judgement_after_a_pin_opens_the_route() -> None:
    (opened,) = [one.data for one in settled().told]
    assert (opened.verdict, opened.action, opened.cause, opened.previous) == ("compatible", "allow", "pin", None)
    assert (opened.owner, opened.channel, opened.agent_version) == ("travel", "ops", "3.2.0")


@pytest.mark.parametrize(
    ("value", "version", "verdict", "action", "rule"),
    [
        (profile(binding="HTTP+JSON"), "3.3.0", "review", "probe", "interface-changed"),
        (PDF, "3.2.0", "breaking", "stop", "output-modes-disjoint"),
        (profile(scopes=("pricing.quote", "pricing.admin")), "3.2.0", "breaking", "stop", "security-unsatisfiable"),
        (profile(streaming=False), "3.2.0", "breaking", "stop", "streaming-withdrawn"),
        (profile(skill="pricing"), "3.2.0", "breaking", "stop", "skill-removed"),
        (profile(usable=False), "3.2.0", "breaking", "stop", "profile-unusable"),
    ],
)
def test_a_change_is_told_once_with_its_reason(
    value: Profile, version: str, verdict: str, action: str, rule: str
) -> None:
    scene = settled()
    (told,) = scene.observe(value, version=version)
    assert (told.verdict, told.action, told.cause, told.previous) == (verdict, action, "agent", "compatible")
    assert rule in rules(told)
    assert scene.fetch(equal=True) == []


def test_the_whole_story_in_order() -> None:
    scene = settled()
    told = [
        scene.fetch(equal=True),
        scene.fetch(),
        scene.observe(profile(binding="HTTP+JSON"), version="3.3.0"),
        scene.observe(PDF, version="3.3.0"),
        scene.observe(profile(scopes=("pricing.quote", "pricing.admin"))),
        scene.observe(profile()),
        scene.fetch(equal=True),
        scene.fetch(equal=True),
    ]
    assert [outline(one) for one in told] == [
        [],
        [],
        [("review", "probe")],
        [("breaking", "stop")],
        [("breaking", "stop")],
        [("compatible", "allow")],
        [],
        [],
    ]
    assert [one.recovered for step in told for one in step] == [False, False, False, True]
    assert rules(told[3][0]) != rules(told[4][0])


def test_a_version_number_alone_goes_to_the_digest_and_is_probed() -> None:
    (told,) = settled().observe(profile(), version="4.0.0")
    assert (told.verdict, told.action, told.digest_only) == ("review", "probe", True)
    (other,) = settled().observe(profile(binding="HTTP+JSON"), version="4.0.0")
    assert not other.digest_only


def test_notes_cause_no_decision_and_ride_on_one() -> None:
    scene = settled()
    more = profile().model_copy(
        update={"skills": {**profile().skills, "weather": profile().skills["itinerary-pricing"]}}
    )
    assert scene.observe(more) == []
    (told,) = scene.observe(more.model_copy(update={"streaming": False}))
    assert "skill-added" in {finding.rule for finding in told.findings}


def test_two_hundred_description_edits_cause_nothing() -> None:
    scene = settled()
    before = len(scene.told)
    for edit in range(200):
        assert scene.fetch(semantic_digest=f"sha256:{edit}") == []
    assert len(scene.told) == before


def test_breaking_stays_until_offered_again_or_pinned_anew() -> None:
    scene = settled()
    scene.observe(PDF)
    for _ in range(10):
        assert scene.fetch(equal=True) == []
    assert scene.pin(baseline=PDF) == []
    (told,) = scene.observe(PDF)
    assert (told.verdict, told.cause, told.previous) == ("breaking", "pin", "breaking")


def test_a_decision_names_what_it_rests_on() -> None:
    scene = settled()
    (told,) = scene.observe(PDF)
    compiled, card = scene.log[-1], scene.log[-2]
    pinned = next(stored for stored in scene.log if stored.fact.data.kind == "lockfile-pinned")
    assert told.causes == (compiled.fact.id, card.fact.id, pinned.fact.id)
    assert told.considered_through == compiled.sequence
    assert told.valid_from.startswith(compiled.stored_at.isoformat()[:19])
    assert scene.told[-1].causation == compiled.fact.id


def test_a_release_ends_the_pair() -> None:
    from cardtrail.events import LockfileReleased

    scene = settled()
    assert scene.tell(LockfileReleased(agent="pricing", workflow="trip")) == []
    assert scene.observe(PDF) == []


def test_an_agent_no_longer_watched_is_judged_afresh_when_it_comes_back() -> None:
    from cardtrail.events import AgentUntracked

    scene = settled()
    scene.observe(PDF)
    assert scene.tell(AgentUntracked(agent="pricing")) == []
    scene.track()
    (told,) = scene.observe(profile())
    assert (told.verdict, told.previous, told.recovered) == ("compatible", None, False)
