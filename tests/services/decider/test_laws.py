"""What holds for every log, whatever is in it."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cardtrail.events import ChangeDecided, Fact
from cardtrail.events.model.lockfile import Candidate
from cardtrail.events.model.policy import Policy
from cardtrail.projections.projection import Rows
from cardtrail.services.decider.decider import Decider
from cardtrail.services.verdict.rules import RULES_VERSION
from tests.services.decider.scene import AGENT, Scene, lock, profile

PROFILES = [profile(), profile(output=("application/pdf",)), profile(binding="HTTP+JSON"), profile(streaming=False)]
SECOND = "second"
Step = tuple[str, int, str]
STEPS = st.lists(
    st.tuples(
        st.sampled_from(
            ["observe", "observe", "equal", "full", "refuse", "silent", "probe", "fail", "count", "pin", "policy"]
        ),
        st.integers(0, 3),
        st.sampled_from([AGENT, AGENT, SECOND]),
    ),
    max_size=25,
)


def play(scene: Scene, step: Step) -> None:
    what, choice, agent = step
    second = (Candidate(agent=SECOND),) if agent == AGENT else ()
    told: dict[str, Callable[[], Any]] = {
        "observe": lambda: scene.observe(PROFILES[choice], agent),
        "equal": lambda: scene.fetch(agent, equal=True),
        "full": lambda: scene.fetch(agent, location=""),
        "refuse": lambda: scene.refuse(["parse", "verify", "validate", "fetch"][choice], agent),
        "silent": lambda: scene.refuse("connect", agent),
        "probe": lambda: scene.probe(
            ["held", "contradicted", "inconclusive", "held"][choice], PROFILES[0], agent=agent
        ),
        "fail": scene.fail if agent == AGENT else lambda: None,
        "count": lambda: scene.count(choice * 3) if agent == AGENT else None,
        "pin": lambda: scene.pin(lock(*second, agent=agent), agent),
        "policy": lambda: scene.declare(Policy(grace_s=3_600 * (choice + 1))) if agent == AGENT else None,
    }
    told[what]()


def lived(steps: list[Step], scene: Scene | None = None) -> Scene:
    scene = scene or Scene(step_s=1_800)
    scene.track(value="https://one.example/card.json")
    scene.track(SECOND, "https://two.example/card.json")
    scene.pin(lock(Candidate(agent=SECOND)))
    for step in steps:
        play(scene, step)
    return scene


def replayed(scene: Scene, restart_at: int = -1) -> list[Fact]:
    """The same log read by another decider, its rows stored and loaded once on the way."""
    fresh, rows, told = Scene(), Rows(), list[Fact]()
    for number, stored in enumerate(scene.log):
        if number == restart_at:
            rows = Rows(stored_tables(rows))
        told += fresh.decider.derive(stored, rows)
    return told


def stored_tables(rows: Rows) -> dict[str, dict[tuple[str, ...], dict[str, Any]]]:
    tables: dict[str, dict[tuple[str, ...], dict[str, Any]]] = {}
    for (table, key), row in rows.taken().items():
        if row is not None:
            tables.setdefault(table, {})[key] = row
    return tables


def decisions(told: list[Fact]) -> list[ChangeDecided]:
    return [fact.data for fact in told if isinstance(fact.data, ChangeDecided)]


@given(STEPS, st.integers(0, 60))
@settings(max_examples=60)
def test_the_same_log_gives_the_same_decisions_with_the_same_ids_also_over_a_restart(
    steps: list[Step], at: int
) -> None:
    scene = lived(steps)
    assert replayed(scene) == scene.told
    assert replayed(scene, at) == scene.told


@given(STEPS)
@settings(max_examples=60)
def test_facts_stored_twice_tell_nothing_new(steps: list[Step]) -> None:
    scene = lived(steps)
    kinds = ("card-fetched", "card-refused", "profile-compiled", "lockfile-pinned")
    for stored in [stored for stored in scene.log if stored.fact.data.kind in kinds][-8:]:
        assert scene.again(stored) == []


@given(STEPS)
@settings(max_examples=60)
def test_facts_of_another_agent_change_nothing(steps: list[Step]) -> None:
    scene = lived(steps)
    alone = Scene()
    alone.log = [stored for stored in scene.log if getattr(stored.fact.data, "agent", AGENT) == AGENT]
    assert replayed(alone) == [fact for fact in scene.told if getattr(fact.data, "agent", "") == AGENT]


@given(STEPS)
@settings(max_examples=100)
def test_a_decision_always_says_something_new(steps: list[Step]) -> None:
    last: dict[str, ChangeDecided] = {}
    for one in decisions(lived(steps).told):
        before = last.get(one.agent)
        assert one.previous == (before.verdict if before else None)
        assert one.recovered == (one.verdict == "compatible" and one.previous in ("review", "breaking"))
        if before is not None and one.cause != "pin":
            assert said(one) != said(before)
        last[one.agent] = one


def said(one: ChangeDecided) -> tuple[object, ...]:
    spoken = {finding.fingerprint for finding in one.findings if finding.severity != "note"}
    return one.verdict, one.action, one.degraded, frozenset(spoken)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=30))
@settings(max_examples=60)
def test_cards_in_any_order_end_where_the_last_one_stands(order: list[int]) -> None:
    scene, straight = lived([]), lived([])
    for choice in order:
        scene.observe(PROFILES[choice])
    straight.observe(PROFILES[order[-1]])
    for _ in range(3):
        scene.fetch(equal=True)
    final = [one for one in decisions(scene.told) if one.agent == AGENT][-1]
    expected = [one for one in decisions(straight.told) if one.agent == AGENT][-1]
    assert said(final) == said(expected)


@given(st.lists(st.integers(0, 3), min_size=12, max_size=40))
@settings(max_examples=60)
def test_two_cards_that_take_turns_cause_few_decisions(choices: list[int]) -> None:
    scene = lived([])
    pair = (choices[0], (choices[0] + 1) % 4)
    for number in range(len(choices)):
        scene.observe(PROFILES[pair[number % 2]])
    assert len([one for one in decisions(scene.told) if one.agent == AGENT]) <= 4


def test_what_the_judge_cannot_judge_leaves_no_trace() -> None:
    def broken(*_: object) -> Any:
        raise ArithmeticError

    scene = lived([("observe", 0, AGENT)])
    scene.rows.taken()
    scene.decider = Decider(broken, RULES_VERSION)
    scene.fetch()
    scene.rows.taken()
    scene.rows.mark()
    with pytest.raises(ArithmeticError):
        scene.compile(PROFILES[1])
    scene.rows.undo()
    assert scene.rows.taken() == {}
