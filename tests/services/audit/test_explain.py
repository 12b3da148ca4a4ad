"""Explain beside the log it explains: a decider's own decisions, down to the line of the card that was served."""

import json

import pytest

from cardtrail.events import CardFetched, ChangeDecided, Stored
from cardtrail.events.model.profile import Profile
from cardtrail.projections.lockfile_status import LockfileStatus
from cardtrail.projections.projection import Rows
from cardtrail.services.audit.card_place import place_in
from cardtrail.services.audit.explain import Explaining
from cardtrail.services.audit.stands import Stands
from tests.services.decider.scene import Scene, profile, settled

PDF_MODES = ("application/pdf",)
CARD = {
    "name": "Pricing",
    "version": "3.2.0",
    "skills": [{"id": "itinerary-pricing", "outputModes": ["application/json"]}],
}
PDF = {"skills": [{"id": "itinerary-pricing", "outputModes": ["application/pdf"]}], "version": "4.0.0"}


def log_of(scene: Scene) -> list[Stored]:
    """The log as the broker would have it: each decision behind the fact that brought it."""
    told = {fact.causation: fact for fact in scene.told}
    facts: list[Stored] = []
    for stored in scene.log:
        facts.append(stored)
        if (decision := told.get(stored.fact.id)) is not None:
            facts.append(Stored(sequence=stored.sequence, stored_at=stored.stored_at, fact=decision))
    return facts


def explained(scene: Scene, which: int = -1) -> Explaining:
    """A decision of the scene, explained from all its facts."""
    facts = log_of(scene)
    decisions = [one for one in facts if isinstance(one.fact.data, ChangeDecided)]
    # Decisions share the sequence of their cause in a scene; on a log each has its own, the order is the same.
    numbered = [one.model_copy(update={"sequence": place}) for place, one in enumerate(facts, 1)]
    chosen = numbered[facts.index(decisions[which])]
    assert isinstance(chosen.fact.data, ChangeDecided)
    fold = Explaining(chosen, chosen.fact.data)
    for stored in numbered:
        fold.tell(stored)
    return fold


def breaking() -> Scene:
    scene = settled(profile())
    value = profile(output=PDF_MODES)
    scene.observe(
        value.model_copy(update={"provenance": {"skills.itinerary-pricing.output": "$.skills[0].outputModes"}})
    )
    return scene


def test_a_finding_is_shown_in_the_card_that_was_served_and_in_the_one_the_lock_started_from() -> None:
    scene = settled(
        profile().model_copy(update={"provenance": {"skills.itinerary-pricing.output": "$.skills[0].outputModes"}})
    )
    scene.observe(breaking().log[-1].fact.data.profile)  # type: ignore[attr-defined]
    fold = explained(scene)
    now, before = fold.bodies()[0], fold.bodies()[-1]
    bodies = {now: json.dumps(PDF).encode(), before: json.dumps(CARD).encode()}
    worst = next(fold.reasons(bodies if now != before else {now: json.dumps(PDF).encode()}))
    assert worst.finding.rule == "output-modes-disjoint"
    assert worst.title.startswith("The agent no longer gives any")
    assert worst.now is not None
    assert worst.now.value == ["application/pdf"]
    assert worst.before is not None
    assert worst.before.path == "$.skills[0].outputModes"


def test_the_causes_are_the_facts_that_the_decision_names_newest_first() -> None:
    scene = breaking()
    fold = explained(scene)
    causes = list(fold.causes())
    assert [cause.stored.sequence for cause in causes] == sorted((one.stored.sequence for one in causes), reverse=True)
    assert [cause.role for cause in causes] == ["profile", "card", "lock"]
    assert fold.missing == ()
    assert {cause.stored.fact.id for cause in causes} >= set(fold.wanted)


def test_a_finding_stands_since_the_first_decision_that_had_it() -> None:
    scene = breaking()
    scene.acknowledge(scene.told[-1].data.findings[0].fingerprint)  # type: ignore[attr-defined]
    scene.observe(profile(output=PDF_MODES, scopes=("pricing.quote", "more")))
    first, last = explained(scene, 1), explained(scene)
    since = {one.finding.rule: one.since for one in last.reasons({})}
    assert since["output-modes-disjoint"] == first.decision.sequence < last.decision.sequence
    assert since["security-unsatisfiable"] == last.decision.sequence
    accepted = {one.finding.rule: one.accepted for one in last.reasons({})}
    assert accepted["output-modes-disjoint"] is not None
    assert accepted["output-modes-disjoint"].by == "mira"
    assert accepted["security-unsatisfiable"] is None
    assert first.superseded_by is not None
    assert last.superseded_by is None


def test_a_member_is_followed_to_its_line_in_the_bytes() -> None:
    data = json.dumps(CARD, indent=2).encode()
    found = place_in("sha256:1", data, "$.skills[0].outputModes")
    assert (found.kept, found.there, found.value, found.line, found.column) == (True, True, ["application/json"], 7, 22)
    odd = json.dumps({"a b": {"c.d": [1, {"e'f": True}]}, "a": 2}).encode()
    assert place_in("", odd, "$['a b']['c.d'][1]['e\\'f']").value is True
    assert place_in("", odd, "$.a").value == 2


def test_what_is_gone_is_said_to_be_gone() -> None:
    data = json.dumps(CARD).encode()
    assert place_in("sha256:1", None, "$.version").kept is False
    for path in ("$.skills[1]", "$.skill", "$.skills[0].outputModes[3]", "$.version.x"):
        found = place_in("sha256:1", data, path)
        assert (found.kept, found.there, found.value) == (True, False, None)
    assert place_in("sha256:1", b"<html>", "$.version").there is False


def seen(scene: Scene, digest: str, value: Profile) -> None:
    scene.fetch(raw_digest=digest)
    scene.compile(value, card_digest=digest)


def flapping(turns: int) -> Scene:
    """Two cards take turns; the newest decision is an acceptance, told while the good one is in force."""
    scene = settled(profile())
    output = {"skills.itinerary-pricing.output": "$.skills[0].outputModes"}
    good, bad = profile(), profile(output=PDF_MODES).model_copy(update={"provenance": output})
    for number in range(turns):
        seen(scene, "sha256:bad", bad)
        seen(scene, "sha256:good", good)
        assert number or explained(scene).event.recovered
    turning = next(one for one in explained(scene).event.findings if one.rule == "card-flapping")
    scene.acknowledge(turning.fingerprint)
    return scene


@pytest.mark.parametrize("turns", [3, 6])
def test_while_cards_take_turns_a_finding_is_shown_in_the_card_it_is_about(turns: int) -> None:
    fold = explained(flapping(turns))
    key = ("pricing", "public", "sha256:bad")
    assert key in fold.bodies()
    found = {one.finding.rule: one for one in fold.reasons({key: json.dumps(PDF).encode()})}
    worst = found["output-modes-disjoint"]
    assert worst.now is not None
    assert (worst.now.card_digest, worst.now.value) == ("sha256:bad", ["application/pdf"])
    looks = {cause.stored.sequence: cause.stored.fact.data for cause in fold.causes() if cause.role == "body"}
    assert worst.look in looks
    assert {one.raw_digest for one in looks.values() if isinstance(one, CardFetched)} == {"sha256:bad", "sha256:good"}


def test_a_finding_about_the_card_in_force_names_no_other_look() -> None:
    scene = settled(profile())
    seen(scene, "sha256:bad", profile(output=PDF_MODES))
    fold = explained(scene)
    assert [one.look for one in fold.reasons({})] == [None] * len(fold.event.findings)
    assert [cause.role for cause in fold.causes()].count("body") == 1


def test_a_verdict_stands_since_it_began_and_not_since_the_newest_decision() -> None:
    scene = breaking()
    began = explained(scene).event.valid_from
    scene.acknowledge(scene.told[-1].data.findings[0].fingerprint)  # type: ignore[attr-defined]
    newest = explained(scene)
    assert newest.event.cause == "acknowledgement"
    assert newest.event.valid_from > began
    assert newest.stands == Stands(verdict_since=began, action_since=began, was="compatible")


def test_an_action_that_an_acceptance_changed_began_with_it() -> None:
    scene = settled(profile())
    scene.observe(profile(), version="4.0.0")
    review = explained(scene)
    (one,) = review.event.findings
    scene.acknowledge(one.fingerprint)
    accepted = explained(scene)
    assert (review.event.verdict, review.event.action, accepted.event.action) == ("review", "probe", "allow")
    assert accepted.stands == Stands(
        verdict_since=review.event.valid_from, action_since=accepted.event.valid_from, was="compatible"
    )


def test_a_new_pin_begins_anew_as_status_says_it() -> None:
    scene = breaking()
    scene.pin()
    seen(scene, "sha256:x", profile(output=PDF_MODES))
    told, rows = explained(scene), Rows()
    assert told.event.cause == "pin"
    for stored in log_of(scene):
        LockfileStatus().apply(stored, rows)
    status = rows.get("lockfile_status", ("public", "trip", "pricing"))
    assert status is not None
    assert told.stands is not None
    assert told.stands.verdict_since == told.event.valid_from == status["since"]
