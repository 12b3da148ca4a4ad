"""Blame beside a plain loop over the same log, and what it says of windows, gaps and who did it."""

from uuid import UUID

import pytest

from cardtrail.events import ChangeDecided, Stored
from cardtrail.services.audit.blame import Blame, Held
from tests.projections.facts import compiled, full, lock, pinned, profile
from tests.projections.log import Log
from tests.services.audit import plain_fold
from tests.services.audit.generated import AGENTS, generated


def blamed(facts: list[Stored], capability: str, agent: str = "pricing", principal: str = "public") -> list[Held]:
    fold = Blame(agent, principal)
    for stored in facts:
        fold.tell(stored)
    return list(fold.of(capability))


@pytest.mark.parametrize("capability", ["streaming", "skills.skill-0.input", "skills.skill-3.output", "version"])
def test_every_agent_of_a_generated_log_is_blamed_as_a_plain_fold_says(capability: str) -> None:
    compared = gaps = 0
    for agent, facts in generated().items():
        said = blamed(facts, capability, agent)
        expected = plain_fold.values(facts, agent, capability)
        shown = [
            (one.value, one.after, one.first_seen, one.sequence, sorted(each.sequence for each in one.brought))
            for one in said
        ]
        assert shown == [(*one[:4], sorted(one.brought)) for one in expected], agent
        compared, gaps = compared + len(said), gaps + sum(one.state != "held" for one in said)
    assert compared > AGENTS
    assert gaps or capability == "version"


def test_a_value_changed_between_the_last_full_answer_and_the_first_with_another() -> None:
    log = Log()
    card = full(log, "one")
    compiled(log, card, profile(quote=("a/json",)))
    log.say("card-fetched", status=200, same_as=card.sequence)
    log.say("card-fetched", status=304, same_as=card.sequence)
    newer = full(log, "two")
    compiled(log, newer, profile(quote=("text/plain",)))
    first, second = blamed(log.facts, "skills.quote.input")
    assert (first.after, first.first_seen, first.value) == (None, "2026-11-30T08:00:01.000Z", ["a/json"])
    assert (first.last_confirmed, first.last_asserted) == ("2026-11-30T08:00:03.000Z", "2026-11-30T08:00:04.000Z")
    assert (second.after, second.first_seen) == ("2026-11-30T08:00:03.000Z", "2026-11-30T08:00:05.000Z")
    assert (second.fact, second.kind, second.cause, second.ended_by) == (newer.fact.id, "card-fetched", "card", None)


def test_what_our_own_side_changed_is_blamed_on_the_profile_and_not_on_the_card() -> None:
    log = Log()
    card = full(log, "one")
    compiled(log, card, profile(streaming=True))
    again = compiled(log, card, profile(streaming=False), cause="client")
    _, second = blamed(log.facts, "streaming")
    assert (second.cause, second.fact, second.kind) == ("client", again.fact.id, "profile-compiled")


def test_a_removed_skill_is_absent_until_it_is_offered_again() -> None:
    log = Log()
    for digest, skills in (("one", ("quote", "refund")), ("two", ("quote",)), ("three", ("quote", "refund"))):
        compiled(log, full(log, digest), profile(**dict.fromkeys(skills, ("a/json",))))
    states = [(one.state, one.sequence) for one in blamed(log.facts, "skills.refund.input")]
    assert states == [("held", 1), ("absent", 3), ("held", 5)]
    assert [one.state for one in blamed(log.facts, "skills.quote.input")] == ["held"]


def test_what_cannot_be_read_is_unknown_and_silence_is_not() -> None:
    log = Log()
    card = full(log, "one")
    compiled(log, card, profile())
    log.say("card-refused", stage="connect", reason="timed-out")
    log.say("card-fetched", status=200, same_as=card.sequence)
    assert [one.state for one in blamed(log.facts, "streaming")] == ["held"]
    log.say("card-refused", stage="parse", reason="not-json")
    log.say("card-fetched", status=200, same_as=card.sequence)
    assert [one.state for one in blamed(log.facts, "streaming")] == ["held", "unknown", "held"]


def test_a_value_names_the_locks_pinned_on_it_and_the_decisions_it_brought() -> None:
    log = Log()
    compiled(log, full(log, "one"), profile())
    pin = pinned(log, lock())
    newer = compiled(log, full(log, "two"), profile(streaming=False))
    decision = _decided(log, newer.fact.id)
    _decided(log, UUID(int=5))  # rests on something else
    first, second = blamed(log.facts, "streaming")
    assert [(one.what, one.sequence, one.workflow) for one in first.brought] == [("pin", pin.sequence, "trip")]
    ((what, rules),) = [(one.sequence, one.rules) for one in second.brought]
    assert (what, rules) == (decision.sequence, ("streaming-withdrawn",))


def test_one_principals_cards_are_no_blame_for_another() -> None:
    log = Log()
    compiled(log, full(log, "one"), profile(streaming=True))
    compiled(log, full(log, "two", principal="desk"), profile(streaming=False), principal="desk")
    assert [one.value for one in blamed(log.facts, "streaming")] == [True]
    assert [one.value for one in blamed(log.facts, "streaming", principal="desk")] == [False]


def _decided(log: Log, cause: UUID) -> Stored:
    finding = {"rule": "streaming-withdrawn", "severity": "breaking", "subject": "s", "message": "m"}
    event = ChangeDecided.model_validate(
        {
            "agent": "pricing",
            "workflow": "trip",
            "verdict": "breaking",
            "action": "stop",
            "findings": [finding],
            "valid_from": "2026-11-30T08:00:00Z",
            "considered_through": 1,
            "lock_digest": "",
            "rules_version": "1",
            "policy_digest": "",
        }
    )
    stored = log.tell(event)
    log.facts[-1] = stored.model_copy(update={"fact": stored.fact.model_copy(update={"causation": cause})})
    return log.facts[-1]
