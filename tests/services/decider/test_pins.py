"""Locks in force: by name or by location, with their candidates, from the observation after the pin."""

from cardtrail.events import CardFetched, LockfileReleased
from cardtrail.events.model.lockfile import Candidate
from cardtrail.events.model.profile import Identity
from tests.services.decider.scene import AGENT, URL, Scene, lock, outline, profile, rules, settled

A = profile()
PDF = profile(output=("application/pdf",))
SECOND = "second"


def test_a_pin_waits_for_an_observation_after_it() -> None:
    scene = Scene()
    scene.track()
    scene.fetch()
    card = scene.log[-1]
    assert scene.pin(baseline=A) == []
    assert scene.compile(A, card=card.fact.id, card_sequence=card.sequence) == []
    assert outline(scene.observe(A)) == [("compatible", "allow")]


def test_a_lock_by_url_is_judged_by_the_agent_found_there() -> None:
    scene = Scene()
    scene.track()
    scene.observe(A)
    url = "HTTPS://PRICING.partner.example:443/.well-known/agent-card.json"
    scene.pin(lock(agent=url), agent=url, baseline=A)
    (opened,) = scene.observe(A)
    assert (opened.agent, opened.watched, opened.verdict) == (url, AGENT, "compatible")
    (told,) = scene.observe(PDF)
    assert rules(told) == {"output-modes-disjoint"}


def test_a_location_learned_from_an_answer_counts_like_the_target() -> None:
    scene = Scene()
    scene.track(value="https://pricing.partner.example")
    scene.pin(lock(agent=URL), agent=URL)
    assert outline(scene.observe(A)) == [("compatible", "allow")]


def test_names_never_cross_principals() -> None:
    scene = Scene()
    scene.track()
    scene.pin(lock(agent=URL), agent=URL, principal="acme")
    assert scene.observe(A) == []
    scene.tell(CardFetched(agent=AGENT, principal="acme", location=URL, raw_digest="sha256:1"))
    assert [one.principal for one in scene.compile(A, principal="acme")] == ["acme"]


def test_each_candidate_is_judged_under_the_same_lock_with_its_own_endpoint_and_skills() -> None:
    scene = Scene()
    scene.track()
    scene.track(SECOND, "https://second.example/card.json")
    scene.pin(lock(Candidate(agent=SECOND, skills={"itinerary-pricing": "quote"})))
    scene.observe(A)
    theirs = profile(skill="quote", binding="HTTP+JSON")
    (opened,) = scene.observe(theirs, SECOND, version="9.0.0")
    assert (opened.workflow, opened.agent, opened.verdict, opened.cause) == ("trip", SECOND, "compatible", "pin")
    assert opened.watched == ""
    (told,) = scene.observe(profile(skill="other", binding="HTTP+JSON"), SECOND, version="9.0.0")
    assert rules(told) == {"skill-removed"}
    (back,) = scene.observe(theirs, SECOND, version="9.0.1")
    assert back.recovered


def test_a_candidate_that_does_not_fit_is_breaking_from_the_start() -> None:
    scene = Scene()
    scene.track(SECOND, "https://second.example/card.json")
    scene.pin(lock(Candidate(agent=SECOND)))
    assert outline(scene.observe(PDF, SECOND)) == [("breaking", "stop")]


def test_a_new_pin_without_a_candidate_and_a_release_end_its_pair() -> None:
    for end in ("pin", "release"):
        scene = Scene()
        scene.track(SECOND, "https://second.example/card.json")
        scene.pin(lock(Candidate(agent=SECOND)))
        scene.observe(A, SECOND)
        if end == "pin":
            scene.pin(lock())
        else:
            scene.tell(LockfileReleased(agent=AGENT, workflow="trip"))
        assert scene.observe(PDF, SECOND) == []


def test_a_new_pin_with_the_same_candidate_remembers_how_it_stood() -> None:
    scene = Scene()
    scene.track(SECOND, "https://second.example/card.json")
    scene.pin(lock(Candidate(agent=SECOND)))
    scene.observe(PDF, SECOND)
    scene.pin(lock(Candidate(agent=SECOND)))
    (told,) = scene.observe(A, SECOND)
    assert (told.previous, told.recovered, told.cause) == ("breaking", True, "pin")


def test_a_lock_that_names_its_own_agent_as_fallback_is_one_pair() -> None:
    scene = settled()
    scene.pin(lock(Candidate(agent=AGENT)), baseline=A)
    (told,) = scene.observe(A)
    assert told.owner == "travel"
    scene.pin(lock(), baseline=A)
    assert len(scene.observe(A)) == 1


def test_a_candidate_pinned_by_itself_keeps_its_own_lock() -> None:
    scene = Scene()
    scene.track(SECOND, "https://second.example/card.json")
    scene.pin(lock(agent=SECOND, owner="second's owner"), agent=SECOND)
    scene.pin(lock(Candidate(agent=SECOND)))
    (told,) = scene.observe(A, SECOND)
    assert told.owner == "second's owner"


def test_without_a_baseline_in_the_fact_the_profile_in_force_is_where_a_lock_starts() -> None:
    scene = Scene()
    scene.track()
    scene.observe(A)
    scene.pin()
    scene.observe(A)
    renamed = {"identity": Identity(name="Other", version="3.2.0"), "identity_digest": "sha256:other"}
    assert scene.observe(A, **renamed) == []
    (told,) = scene.observe(PDF, **renamed)
    assert "agent-renamed" in {finding.rule for finding in told.findings}


def test_a_release_of_one_workflow_leaves_the_others() -> None:
    scene = settled()
    scene.pin(lock(workflow="other"), baseline=A)
    scene.observe(A)
    scene.tell(LockfileReleased(agent=AGENT, workflow="trip"))
    assert [one.workflow for one in scene.observe(PDF)] == ["other"]
