"""What holds a lock back while cards take turns, and how many equal looks are still needed."""

from cardtrail.events import AgentUntracked, Stored
from cardtrail.events.model.policy import Policy
from cardtrail.services.cli.live.turns import Turns, why
from cardtrail.services.cli.outputs.turns import Turning
from tests.services.decider.scene import Scene, profile, settled

A, B = profile(), profile(output=("application/pdf",))


def held(scene: Scene) -> list[tuple[str, int, int]]:
    turns = Turns(Policy())
    for stored in scene.log:
        turns.tell(stored)
        for fact in (one for one in scene.told if one.causation == stored.fact.id):
            turns.tell(Stored(sequence=10_000 + stored.sequence, stored_at=stored.stored_at, fact=fact))
    return [(one.verdict, one.equal, one.needed) for one in turns.held()]


def flapping() -> Scene:
    scene = settled()
    for state in (B, A, B, A):
        scene.observe(state)
    return scene


def test_the_good_card_after_flapping_is_the_first_of_three_equal_looks() -> None:
    scene = flapping()
    assert held(scene) == [("breaking", 1, 3)]
    scene.fetch(equal=True)
    assert held(scene) == [("breaking", 2, 3)]


def test_once_there_are_enough_nothing_is_held() -> None:
    scene = flapping()
    scene.fetch(equal=True)
    assert scene.fetch(equal=True)[0].recovered
    assert held(scene) == []


def test_another_card_begins_the_count_anew() -> None:
    scene = flapping()
    scene.fetch(equal=True)
    scene.observe(B)
    assert held(scene) == [("breaking", 1, 3)]


def test_a_break_that_is_no_flapping_is_not_held_by_it() -> None:
    scene = settled()
    scene.observe(B)
    assert held(scene) == []


def test_an_agent_that_nobody_watches_any_more_holds_nothing() -> None:
    scene = flapping()
    scene.tell(AgentUntracked(agent="pricing"))
    assert held(scene) == []


def test_it_is_said_with_the_command_that_looks_again() -> None:
    told = {"workflow": "trip", "agent": "pricing", "verdict": "breaking", "equal": 1, "needed": 3}
    one = Turning.model_validate(told | {"principal": "public"})
    assert why(one) == "held by card-flapping: 1 of 3 equal looks; cardtrail refresh pricing looks again"
    assert "cardtrail refresh pricing --principal mira" in why(one.model_copy(update={"principal": "mira"}))
