"""When the card cannot be had: the last good profile stays, patience has an end, and the end comes as a fact."""

from datetime import datetime, timedelta

import pytest

from cardtrail.events import DeadlinePassed
from cardtrail.events.model.policy import Policy
from cardtrail.services.decider.deadlines import changed, wanted
from tests.services.decider.scene import AGENT, Scene, outline, profile, rules, settled

GRACE, STALENESS = Policy().grace_s, Policy().staleness_s
PDF = profile(output=("application/pdf",))


def due(scene: Scene) -> dict[str, timedelta]:
    """What is waited for, and how long from now."""
    return {one.what: datetime.fromisoformat(one.due) - scene.now for one in wanted(scene.rows).values()}


def test_an_unreadable_card_is_a_review_at_once_and_unusable_after_the_grace_time() -> None:
    scene = settled()
    (told,) = scene.refuse("parse")
    assert (told.verdict, rules(told), told.causes[0]) == ("review", {"card-unreadable"}, scene.log[-1].fact.id)
    assert due(scene) == {"grace": timedelta(seconds=GRACE)}
    (beyond,) = scene.strike()
    assert scene.log[-2].fact.id in beyond.causes
    assert (beyond.verdict, beyond.action, beyond.cause, rules(beyond)) == (
        "breaking",
        "stop",
        "time",
        {"profile-unusable"},
    )
    assert due(scene) == {}


def test_repeated_refusals_say_nothing_new_whatever_their_reason() -> None:
    scene = settled()
    scene.refuse("parse")
    assert [
        scene.refuse(stage, reason=f"reason-{n}") for n, stage in enumerate(["validate", "fetch", "connect"] * 5)
    ] == [[]] * 15


def test_silence_is_no_finding_before_the_staleness_budget_ends() -> None:
    scene = settled()
    answered = scene.log[-2].stored_at
    assert scene.refuse("connect", fault="network") == []
    assert datetime.fromisoformat(next(iter(wanted(scene.rows).values())).due) == answered + timedelta(
        seconds=STALENESS
    )
    (told,) = scene.strike()
    assert (told.verdict, told.cause, rules(told)) == ("review", "time", {"agent-unreachable"})
    (back,) = scene.fetch(equal=True)
    assert (back.verdict, back.recovered) == ("compatible", True)


def test_silence_after_a_longer_silence_is_beyond_at_once() -> None:
    scene = settled()
    scene.wait(STALENESS + 1)
    (told,) = scene.refuse("connect")
    assert rules(told) == {"agent-unreachable"}
    assert due(scene) == {}


def test_silence_never_softens_an_unreadable_card() -> None:
    scene = settled()
    scene.refuse("parse")
    scene.refuse("connect")
    (told,) = scene.strike()
    assert told.verdict == "breaking"


def test_a_card_that_cannot_be_read_after_silence_begins_its_own_grace() -> None:
    scene = settled()
    scene.refuse("connect")
    scene.wait(3_600)
    (told,) = scene.refuse("parse")
    assert rules(told) == {"card-unreadable"}
    assert due(scene) == {"grace": timedelta(seconds=GRACE)}


@pytest.mark.parametrize(
    ("stage", "members", "expected"),
    [
        ("parse", {}, {"card-unreadable"}),
        ("validate", {}, {"card-unreadable"}),
        ("fetch", {"status": 200, "reason": "content-type"}, {"card-unreadable"}),
        ("verify", {"reason": "signature-invalid"}, {"signature-invalid"}),
        ("fetch", {"status": 503}, set()),
        ("authenticate", {"status": 401}, set()),
        ("parse", {"fault": "ours"}, set()),
        ("policy", {}, set()),
    ],
)
def test_which_refusals_speak_of_the_card(stage: str, members: dict[str, object], expected: set[str]) -> None:
    told = settled().refuse(stage, **members)
    assert {rule for decision in told for rule in rules(decision)} == expected


def test_an_equal_card_ends_trouble_at_once_and_another_one_with_its_profile() -> None:
    scene = settled()
    scene.refuse("parse")
    (equal,) = scene.fetch(equal=True)
    assert equal.recovered
    scene.refuse("parse")
    assert scene.fetch() == []
    (changed_,) = scene.compile(PDF)
    assert (changed_.verdict, changed_.recovered) == ("breaking", False)


def test_trouble_newer_than_the_card_of_a_profile_stands() -> None:
    scene = settled()
    scene.fetch()
    card = scene.log[-1]
    scene.refuse("parse")
    told = scene.compile(PDF, card=card.fact.id, card_sequence=card.sequence)
    assert [rules(one) for one in told] == [{"card-unreadable", "output-modes-disjoint"}]


def test_a_refusal_older_than_the_last_answer_is_late() -> None:
    scene = settled()
    scene.refuse("parse")
    late = scene.log[-1]
    scene.fetch(equal=True)
    newer = settled()
    newer.wait(7_200)
    newer.fetch(equal=True)
    assert newer.tell(late.fact.data, late.fact) == []


def test_a_lock_pinned_on_an_agent_nobody_can_read_stops_when_patience_ends() -> None:
    scene = Scene()
    scene.track()
    scene.pin()
    assert scene.refuse("parse") == []
    (told,) = scene.strike()
    assert (told.verdict, told.cause) == ("breaking", "pin")


def test_a_deadline_that_came_too_early_changes_nothing() -> None:
    scene = settled()
    scene.refuse("parse")
    event = DeadlinePassed(agent=AGENT, what="grace", due=scene.now.isoformat())
    assert scene.tell(event) == []
    assert len(wanted(scene.rows)) == 1


def test_what_a_batch_changed_is_what_the_schedules_need() -> None:
    scene = settled()
    scene.rows.taken()
    scene.refuse("parse")
    ((key, event),) = changed(scene.rows.taken()).items()
    assert event is not None
    assert (key, event.what, event.agent) == (("grace", AGENT, "public", "", ""), "grace", AGENT)
    scene.fetch(equal=True)
    assert changed(scene.rows.taken()) == {key: None}


def test_a_break_and_trouble_stand_together_and_end_apart() -> None:
    scene = settled()
    told = [*scene.observe(PDF), *scene.refuse("parse"), *scene.fetch(equal=True), *scene.observe(profile())]
    assert outline(told) == [("breaking", "stop")] * 3 + [("compatible", "allow")]
    assert [len(rules(one)) for one in told] == [1, 2, 1, 0]
