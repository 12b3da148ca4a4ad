"""A slice holds every fact that any of its decisions rests on: each is explained there as in the whole log."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cardtrail.events import CardFetched, ChangeDecided, Event, Fact, Stored
from cardtrail.events.fact import encode
from cardtrail.events.model.lockfile import Candidate
from cardtrail.events.model.policy import Policy
from cardtrail.events.model.profile import Profile
from cardtrail.events.subjects import subject
from cardtrail.services.audit.explain import Explaining
from cardtrail.services.bundle.slice import Slice
from cardtrail.services.decider.deadlines import wanted
from cardtrail.services.ledger.leaf import Leaf
from tests.services.decider.scene import AGENT, Scene, lock
from tests.services.decider.test_laws import SECOND, Step, play

STEPS = st.lists(
    st.tuples(
        st.sampled_from(
            (
                *("observe", "observe", "equal", "full", "refuse", "silent", "probe", "fail", "count", "pin", "policy"),
                *("accept", "accept", "wait"),
            )
        ),
        st.integers(0, 3),
        st.sampled_from([AGENT, AGENT, SECOND]),
    ),
    min_size=15,
    max_size=40,
)


def lived(steps: list[Step]) -> list[Stored]:
    """A log with its decisions in it, as the decider tells them, each right behind its cause."""
    scene = _Telling(step_s=1_800)
    scene.declare(Policy(contradicting_calls=2, contradicting_of=2))
    scene.track(value="https://one.example/card.json")
    scene.track(SECOND, "https://two.example/card.json")
    scene.pin(lock(Candidate(agent=SECOND)))
    for step in steps:
        what, choice, _ = step
        if what == "accept":
            scene.accept(choice)
        elif what == "wait":
            if wanted(scene.rows):
                scene.strike()
        else:
            play(scene, step)
    return scene.log


class _Telling(Scene):
    """A scene whose log holds what was decided, too."""

    def tell(self, event: Event, fact: Fact | None = None) -> list[ChangeDecided]:
        told = super().tell(event, fact)
        for one in self.told[len(self.told) - len(told) :]:
            self.log.append(Stored(sequence=len(self.log) + 1, stored_at=self.now, fact=one))
            self.decider.derive(self.log[-1], self.rows)
        return told

    def compile(
        self, value: Profile, agent: str = AGENT, version: str = "3.2.0", **members: Any
    ) -> list[ChangeDecided]:
        card = next(one for one in reversed(self.log) if isinstance(one.fact.data, CardFetched))
        seen = card.fact.data
        assert isinstance(seen, CardFetched)
        rests = {"card": card.fact.id, "card_sequence": card.sequence, "card_digest": seen.raw_digest}
        return super().compile(value, agent, version, **rests | members)

    def accept(self, choice: int) -> None:
        """One of the findings that stand in the last decision is accepted."""
        last = next((one.data for one in reversed(self.told) if isinstance(one.data, ChangeDecided)), None)
        if last is not None and last.agent == AGENT and last.findings:
            self.acknowledge(last.findings[choice % len(last.findings)].fingerprint)


def leaf(stored: Stored) -> Leaf:
    return Leaf(
        stored.sequence, int(stored.stored_at.timestamp() * 1e9), subject(stored.fact.data), encode(stored.fact)
    )


def sliced(log: Sequence[Stored], after: int, agents: Sequence[str] = ()) -> list[Stored]:
    """What a bundle of the log behind a sequence holds, read as the exporter reads."""
    chosen, leaves = Slice(agents, (), extended=True), [leaf(one) for one in log]
    for one in leaves[:after]:
        chosen.before(one)
    for one in leaves[after:]:
        chosen.ahead(one)
    chosen.settle()
    for one in leaves[:after]:
        chosen.rests(one)
    while left := chosen.sought(after):
        for sequence in left:
            chosen.rests(leaves[sequence - 1])
    held = {one.sequence for one in chosen.context()} | {one.sequence for one in leaves[after:] if chosen.takes(one)}
    return [one for one in log if one.sequence in held]


def explained(log: Sequence[Stored], decision: Stored) -> tuple[object, ...]:
    """All that `explain` says of a decision: nothing of the log behind it counts."""
    event = decision.fact.data
    assert isinstance(event, ChangeDecided)
    fold = Explaining(decision, event)
    told = [one for one in log if one.sequence <= decision.sequence]
    for one in (one for one in told if getattr(one.fact.data, "agent", "") == event.agent):
        fold.tell(one)
    for one in told:  # what lies beside the agent's own facts: pins of a first agent, policies
        if one.fact.id in fold.missing:
            fold.tell(one)
    causes = [(one.role, one.stored.sequence) for one in fold.causes()]
    return causes, list(fold.reasons({})), fold.missing, fold.bodies(), fold.stands


def decisions(log: Sequence[Stored]) -> list[Stored]:
    return [one for one in log if isinstance(one.fact.data, ChangeDecided)]


@given(STEPS, st.floats(0, 1), st.booleans())
@example(
    steps=[("observe", 0, AGENT), ("observe", 1, AGENT), ("policy", 1, AGENT), ("observe", 1, AGENT)],
    share=0.6,
    by_agent=False,
)
@example(  # what stood, ended and stands again did not stand meanwhile
    steps=[
        *[("observe", 0, AGENT)] * 7,
        *[("observe", choice, AGENT) for choice in (1, 0, 1)],
        ("refuse", 0, AGENT),
        *[("observe", 0, AGENT)] * 4,
    ],
    share=0.75,
    by_agent=False,
)
@example(  # a decision before the slice has findings of a still earlier one
    steps=[*[("observe", 0, AGENT)] * 9, *[("observe", choice, AGENT) for choice in (1, 0, 1, 1, 1, 0)]],
    share=1.0,
    by_agent=False,
)
@settings(max_examples=400)
def test_every_decision_of_a_slice_is_explained_as_in_the_whole_log(
    steps: list[Step], share: float, by_agent: bool
) -> None:
    log = lived(steps)
    after = int(share * len(log))
    held = sliced(log, after, (AGENT,) if by_agent else ())
    for one in decisions(held):
        if one.sequence > after:
            assert explained(held, one) == explained(log, one)
        else:
            assert explained(held, one)[0] == explained(log, one)[0]
            assert explained(held, one)[2] == ()


def test_a_finding_of_cards_that_take_turns_is_of_the_same_card_wherever_the_slice_begins() -> None:
    log = lived([("observe", choice, AGENT) for choice in (1, 0, 2, 0, 2)])
    turning = decisions(log)[-1]
    assert isinstance(turning.fact.data, ChangeDecided)
    assert {"output-modes-disjoint", "card-flapping"} <= {one.rule for one in turning.fact.data.findings}
    for after in range(turning.sequence):
        assert explained(sliced(log, after), turning) == explained(log, turning)


def test_a_whole_log_explains_every_decision_by_what_is_on_it() -> None:
    steps: list[Step] = [("observe", 0, AGENT), ("policy", 2, AGENT), ("observe", 1, AGENT), ("refuse", 0, AGENT)]
    log = lived([*steps, ("policy", 0, AGENT), ("wait", 0, AGENT), ("fail", 0, AGENT), ("probe", 1, AGENT)])
    assert len(decisions(log)) >= 4
    for one in decisions(log):
        assert explained(log, one)[2] == ()


@pytest.mark.parametrize("after", range(0, 40, 3))
def test_what_was_not_needed_is_not_in_the_slice(after: int) -> None:
    steps: list[Step] = [("observe", 0, AGENT), *[("equal", 0, AGENT)] * 40, ("observe", 1, AGENT)]
    log = lived(steps)
    context = [one for one in sliced(log, after) if one.sequence <= after]
    assert len(context) <= 12
