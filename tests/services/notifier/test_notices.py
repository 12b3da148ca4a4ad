"""What owners have not heard of: each finding once, nothing accepted, nothing of the past, a recovery to those who know."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from cardtrail.events import ChangeAcknowledged, ChangeDecided, Event, LockfileReleased, OwnerNotified, Stored
from cardtrail.events.model.finding import Finding
from cardtrail.projections.projection import Rows
from cardtrail.services.notifier.due import back_off_s, digest_at, ripe
from cardtrail.services.notifier.memory import Pending
from cardtrail.services.notifier.notices import Notices, begin, waiting
from tests.projections.log import START, Log


def finding(name: str, severity: str = "breaking") -> Finding:
    told = {"rule": "skill-removed", "severity": severity, "subject": name, "message": "gone", "fingerprint": name}
    return Finding.model_validate(told)


class Scene:
    """A log by hand and the notices beside it; the notifier has been there from the start."""

    def __init__(self, since: datetime = START) -> None:
        self.log, self.rows = Log(), Rows()
        begin(self.rows, since)

    def apply(self, event: Event) -> Stored:
        stored = self.log.tell(event)
        Notices().apply(stored, self.rows)
        return stored

    def decide(self, *findings: Finding, verdict: str = "breaking", **members: Any) -> Stored:
        given = {"agent": "pricing", "workflow": "trip", "channel": "team", "action": "stop", "lock_digest": ""}
        given |= {"valid_from": "2026-11-30T08:00:00Z", "considered_through": len(self.log.facts), "rules_version": "1"}
        event = ChangeDecided.model_validate(
            {**given, "policy_digest": "", "verdict": verdict, "findings": findings, **members}
        )
        return self.apply(event)

    def tell_owner(self, decision: Stored, *fingerprints: str, problem: str = "") -> None:
        self.apply(
            OwnerNotified(
                agent="pricing", workflow="trip", decision=decision.fact.id, channel="team",
                fingerprints=fingerprints, problem=problem,
            )
        )  # fmt: skip

    def waiting(self) -> list[Pending]:
        return list(waiting(self.rows))

    def decisions(self) -> list[Stored]:
        ids = {one.decision for one in self.waiting()}
        return [stored for stored in self.log.facts if stored.fact.id in ids]


def test_a_decision_waits_until_its_owner_was_told_and_stands_untold_no_second_time() -> None:
    scene = Scene()
    first = scene.decide(finding("a"))
    assert scene.decisions() == [first]
    scene.tell_owner(first, "a")
    assert scene.waiting() == []
    more = scene.decide(finding("a"), finding("b"))
    assert scene.decisions() == [more]
    scene.tell_owner(more, "b")
    scene.decide(finding("b"))
    assert scene.waiting() == []


def test_what_came_back_is_news_again() -> None:
    scene = Scene()
    scene.tell_owner(scene.decide(finding("a")), "a")
    back = scene.decide(verdict="compatible", action="allow", recovered=True)
    assert scene.decisions() == [back]
    scene.tell_owner(back)
    again = scene.decide(finding("a"))
    assert scene.decisions() == [again]


def test_a_recovery_is_for_those_who_were_told_of_the_trouble() -> None:
    scene = Scene()
    scene.decide(finding("a"))
    scene.decide(verdict="compatible", action="allow", recovered=True)
    assert scene.waiting() == []


def test_an_accepted_finding_is_silent_while_the_acceptance_holds() -> None:
    scene = Scene()
    scene.decide(finding("a", "review"), verdict="review", action="probe")
    until = (START + timedelta(seconds=10)).isoformat()
    scene.apply(ChangeAcknowledged(agent="pricing", workflow="trip", fingerprint="a", reason="ok", by="x", until=until))
    assert scene.waiting() == []
    scene.decide(finding("a", "review"), verdict="review", action="allow")
    assert scene.waiting() == []
    while len(scene.log.facts) < 12:
        scene.log.say("agent-untracked", "other")
    scene.decide(finding("a", "review"), verdict="review", action="probe")
    assert len(scene.waiting()) == 1


def test_a_notifier_that_is_new_tells_nothing_of_the_past() -> None:
    scene = Scene(since=START + timedelta(days=365))
    for n in range(200):
        scene.decide(finding(f"f{n}"), finding("standing"), agent=f"agent{n % 7}")
    assert scene.waiting() == []


def test_what_was_decided_shortly_before_its_first_start_is_no_past() -> None:
    scene = Scene(since=START + timedelta(minutes=30))
    decision = scene.decide(finding("a"))
    assert scene.decisions() == [decision]


def test_a_replay_of_what_was_told_leaves_nothing_to_tell() -> None:
    scene = Scene()
    for n in range(5):
        scene.tell_owner(scene.decide(finding(f"f{n}")), f"f{n}")
    again = Rows()
    begin(again, START)
    for stored in scene.log.facts:
        Notices().apply(stored, again)
    assert waiting(again) == ()


@pytest.mark.parametrize("quiet", [{"digest_only": True}, {"cause": "tool"}, {"cause": "policy"}])
def test_what_disturbs_nobody_waits_for_the_digest(quiet: dict[str, Any]) -> None:
    scene = Scene()
    scene.decide(finding("a", "review"), verdict="review", action="probe", **quiet)
    (held,) = scene.waiting()
    assert held.digest
    assert ripe([held], held.at + timedelta(minutes=1), 7) == ((), ())
    assert ripe([held], digest_at(held.at, 7), 7) == ((), (held,))


@pytest.mark.parametrize("silent", [{"channel": ""}, {"findings": (finding("n", "note"),)}])
def test_nobody_is_told_of_notes_or_without_a_channel(silent: dict[str, Any]) -> None:
    scene = Scene()
    scene.decide(*silent.pop("findings", (finding("a"),)), **silent)
    assert scene.waiting() == []


def test_a_channel_that_refused_is_not_asked_again_and_the_next_change_is_told_whole() -> None:
    scene = Scene()
    scene.tell_owner(scene.decide(finding("a")), "a", problem="http-404")
    assert scene.waiting() == []
    assert len(scene.decide(finding("a"), finding("b")).raw)
    (held,) = scene.waiting()
    assert {one.fingerprint for one in held.event.findings} == {"a", "b"}


def test_a_released_lock_has_no_owner_to_tell() -> None:
    scene = Scene()
    scene.decide(finding("a"))
    scene.apply(LockfileReleased(agent="pricing", workflow="trip"))
    assert scene.waiting() == []


def test_single_messages_go_oldest_first_and_back_off_grows_to_a_limit() -> None:
    scene = Scene()
    first, second = scene.decide(finding("a"), agent="one"), scene.decide(finding("b"), agent="two")
    single, _ = ripe(reversed(scene.waiting()), second.stored_at, 7)
    assert [one.decision for one in single] == [first.fact.id, second.fact.id]
    assert [back_off_s(n, None) for n in (1, 2, 3, 20)] == [1, 2, 4, 300]
    assert back_off_s(1, 90) == 90


def test_the_digest_comes_once_a_day_at_its_hour() -> None:
    noon = datetime(2026, 11, 30, 12, tzinfo=UTC)
    assert digest_at(noon, 7) == datetime(2026, 12, 1, 7, tzinfo=UTC)
    assert digest_at(noon, 13) == datetime(2026, 11, 30, 13, tzinfo=UTC)


def test_cards_that_take_turns_are_told_as_a_break_a_recovery_and_the_flapping_and_then_no_more() -> None:
    scene, turns = Scene(), finding("card-flapping", "review")
    scene.tell_owner(scene.decide(finding("a")), "a")
    recovery = scene.decide(verdict="compatible", recovered=True)
    assert scene.decisions() == [recovery]
    scene.tell_owner(recovery)
    again = scene.decide(finding("a"), turns)
    assert scene.decisions() == [again]  # who was told that all is well must hear that it is not
    scene.tell_owner(again, "a", "card-flapping")
    scene.decide(finding("a"), turns)
    assert scene.waiting() == []
