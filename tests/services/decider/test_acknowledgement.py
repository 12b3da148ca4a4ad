"""A person accepts a finding: it silences, lets a review through, and never a break."""

from datetime import timedelta

import pytest

from cardtrail.events import ChangeDecided
from cardtrail.events.fact import instant
from cardtrail.services.decider.deadlines import wanted
from tests.services.decider.scene import Scene, outline, profile, rules, settled

PDF = profile(output=("application/pdf",))
OTHER = profile(binding="HTTP+JSON")


def fingerprints(decision: ChangeDecided) -> list[str]:
    return [finding.fingerprint for finding in decision.findings if finding.severity != "note"]


def reviewed() -> tuple[Scene, str]:
    scene = settled()
    (told,) = scene.observe(OTHER)
    (fingerprint,) = fingerprints(told)
    return scene, fingerprint


def test_an_accepted_review_is_let_through_and_stays_a_review() -> None:
    scene, fingerprint = reviewed()
    (told,) = scene.acknowledge(fingerprint)
    assert (told.verdict, told.action, told.cause) == ("review", "allow", "acknowledgement")
    assert scene.acknowledge(fingerprint) == []


def test_an_accepted_break_stays_a_break() -> None:
    scene = settled()
    (told,) = scene.observe(PDF)
    (accepted,) = scene.acknowledge(fingerprints(told)[0])
    assert (accepted.verdict, accepted.action) == ("breaking", "stop")


def test_an_acceptance_ends_with_its_date() -> None:
    scene, fingerprint = reviewed()
    scene.acknowledge(fingerprint, until=instant(scene.now + timedelta(days=1)))
    assert [one.what for one in wanted(scene.rows).values()] == ["acknowledgement"]
    (told,) = scene.strike()
    assert (told.verdict, told.action, told.cause) == ("review", "probe", "time")
    assert wanted(scene.rows) == {}


def test_an_acceptance_ends_with_its_change() -> None:
    scene, fingerprint = reviewed()
    scene.acknowledge(fingerprint)
    scene.observe(profile())
    assert outline(scene.observe(OTHER)) == [("review", "probe")]


def test_an_acceptance_carries_forward_while_the_same_change_stands() -> None:
    scene, fingerprint = reviewed()
    scene.acknowledge(fingerprint)
    (told,) = scene.observe(OTHER, version="4.0.0")
    assert rules(told) == {"interface-changed", "agent-version-changed"}
    assert told.action == "probe"
    (last,) = [one for name in fingerprints(told) for one in scene.acknowledge(name)]
    assert last.action == "allow"


def test_what_does_not_stand_is_not_accepted_in_advance() -> None:
    scene, fingerprint = reviewed()
    scene.observe(profile())
    assert scene.acknowledge(fingerprint) == []
    assert outline(scene.observe(OTHER)) == [("review", "probe")]


@pytest.mark.parametrize(
    "until",
    ["2026-11-30T08:00:00Z", "2026-11-30", "2020-01-01T00:00:00+05:00", "next week", "", "9999-12-31T23:59:59-05:00"],
)
def test_an_acceptance_that_is_over_already_or_never_began_is_none(until: str) -> None:
    scene, fingerprint = reviewed()
    assert scene.acknowledge(fingerprint, until=until) == []


@pytest.mark.parametrize("until", ["2026-12-24", "2026-12-24T10:00:00", "2026-12-24T10:00:00+01:00", None])
def test_an_end_may_be_spelled_as_people_do(until: str | None) -> None:
    scene, fingerprint = reviewed()
    assert outline(scene.acknowledge(fingerprint, until=until)) == [("review", "allow")]
