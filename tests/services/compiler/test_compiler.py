"""When the compiler tells a profile, what it says, and when it stays silent."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardtrail.events import AgentUntracked, Event
from cardtrail.events.card_fetched import SignatureSummary
from cardtrail.events.model.policy import ClientCapabilities
from cardtrail.projections.projection import Rows
from tests.services.compiler.scene import AGENT, EXTENSION, PLAIN, URL, Scene, causes, declared, pinned


def test_the_first_observation_is_told_with_what_it_rests_on() -> None:
    scene = Scene()
    (told,) = scene.fetch()
    fact, card = scene.told[0], scene.log[0]
    assert (told.card, told.card_sequence, fact.causation) == (card.fact.id, 1, card.fact.id)
    assert told.card_digest == scene.log[0].fact.data.raw_digest
    assert told.cause == "card"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (PLAIN, []),
        (b"quote|Pricing|other words", []),
        (b"quote|Renamed|words", ["card"]),
        (b"other|Pricing|words", ["card"]),
        (b"xquote|Pricing|words", ["card"]),
        (b"||", []),
    ],
)
def test_only_a_profile_or_identity_that_differs_is_told(body: bytes, expected: list[str]) -> None:
    scene = Scene()
    scene.fetch()
    assert causes(scene.fetch(body)) == expected


def test_two_hundred_description_edits_are_two_hundred_silences() -> None:
    scene = Scene()
    scene.fetch()
    assert [scene.fetch(f"quote|Pricing|visit {edit}".encode()) for edit in range(200)] == [[]] * 200


def test_there_and_back_is_told_twice_under_different_ids() -> None:
    scene = Scene()
    for body in (PLAIN, b"other|Pricing|words", PLAIN):
        scene.fetch(body)
    assert len({fact.id for fact in scene.told}) == 3


def test_a_pin_is_answered_once_by_the_next_observation_even_an_equal_one() -> None:
    scene = Scene()
    (first,) = scene.fetch()
    assert scene.pin() == []
    (told,) = scene.same()
    assert (told.cause, told.profile_digest, told.card_sequence) == ("pin", first.profile_digest, 3)
    assert scene.same() == []


def test_an_equal_observation_with_equal_bytes_needs_no_body() -> None:
    scene = Scene()
    scene.fetch()
    scene.handed.clear()
    scene.pin()
    scene.same()
    assert scene.handed == set()


def test_a_pin_by_location_is_answered_by_the_agent_found_there() -> None:
    scene = Scene()
    scene.track()
    scene.fetch()
    scene.pin("HTTPS://Pricing.Partner.example:443/card.json")
    assert causes(scene.same()) == ["pin"]


def test_a_pin_before_the_agent_is_known_is_answered_by_its_first_observation() -> None:
    scene = Scene()
    scene.pin(URL)
    assert causes(scene.fetch()) == ["card"]
    assert scene.same() == []


def test_each_candidate_of_a_lock_is_answered_too() -> None:
    scene = Scene()
    scene.fetch(agent="second", location="https://second.example/")
    scene.pin(AGENT, "second")
    assert causes(scene.same("second")) == ["pin"]


def test_after_a_refusal_another_card_is_answered_even_with_the_same_profile() -> None:
    scene = Scene()
    scene.fetch()
    scene.refuse()
    assert scene.same() == []
    scene.refuse()
    assert causes(scene.fetch(b"quote|Pricing|other words")) == ["card"]
    assert scene.fetch(b"quote|Pricing|still other words") == []


def test_other_client_capabilities_are_felt_at_the_next_observation_and_only_where_they_matter() -> None:
    scene = Scene()
    scene.fetch(b"xquote|Pricing|words")
    scene.fetch(b"quote|Other|words", agent="other", location="https://other.example/")
    assert scene.declare(EXTENSION) == []
    (told,) = scene.same()
    assert (told.cause, told.profile.usable) == ("client", True)
    assert scene.same("other") == []
    assert scene.same() == []


def test_what_our_side_changed_is_told_apart_from_what_the_agent_changed() -> None:
    scene = Scene()
    scene.fetch(b"xquote|Pricing|words")
    scene.declare(EXTENSION)
    assert causes(scene.fetch(b"quote|Pricing|words")) == ["client", "card"]
    assert len({fact.id for fact in scene.told}) == 3


def test_a_newer_compiler_tells_only_what_differs() -> None:
    old = Scene()
    old.fetch()
    new = Scene("2", old.rows)
    new.bodies, new.log = old.bodies, old.log
    assert new.same() == []
    assert new.pin() == []
    assert [one.compiler_version for one in new.same()] == ["2"]


def test_another_signature_outcome_of_equal_bytes_is_another_identity() -> None:
    scene = Scene()
    verified = SignatureSummary(outcome="verified", signer="partner")
    scene.fetch(signature=verified)
    assert scene.same() == []
    assert scene.same(signature=SignatureSummary(outcome="verified")) == []
    (told,) = scene.same(signature=SignatureSummary(outcome="unverifiable"))
    assert told.identity.signature == "unverifiable"


def test_a_late_observation_changes_nothing() -> None:
    scene = Scene()
    old = scene.write(scene.fetched(b"old|Pricing|words"))
    scene.fetch()
    assert scene.read([old]) == []
    assert scene.same() == []


def test_a_body_that_is_gone_leaves_the_last_profile_and_the_waiting() -> None:
    scene = Scene()
    scene.fetch()
    event = scene.fetched(b"gone|Pricing|words")
    scene.bodies.popitem()
    scene.pin()
    assert scene.tell(event) == []
    assert scene.same() == []
    assert causes(scene.fetch()) == ["pin"]


def test_principals_never_share_an_answer() -> None:
    scene = Scene()
    scene.fetch()
    (told,) = scene.fetch(principal="acme")
    assert told.principal == "acme"
    scene.pin(principal="acme")
    assert scene.same() == []
    assert causes(scene.same(principal="acme")) == ["pin"]


def test_an_agent_that_is_watched_again_is_told_again() -> None:
    scene = Scene()
    scene.fetch()
    scene.tell(AgentUntracked(agent=AGENT))
    assert causes(scene.same()) == ["card"]


BODIES = st.sampled_from([PLAIN, b"quote|Pricing|w", b"other|Pricing|w", b"xquote|Pricing|w", b"quote|New|w", b"||"])
STEPS = st.one_of(
    st.tuples(st.just("fetch"), BODIES, st.sampled_from(["pricing", "second"])),
    st.tuples(st.sampled_from(["same", "pin", "refuse"]), st.just(b""), st.sampled_from(["pricing", "second"])),
    st.tuples(st.just("declare"), st.sampled_from([b"", b"x"]), st.just("")),
)


def _events(scene: Scene, steps: list[tuple[str, bytes, str]]) -> list[Event]:
    from cardtrail.events import CardFetched, CardRefused

    made: list[Event] = []
    for what, body, agent in steps:
        if what == "fetch":
            made.append(scene.fetched(body, agent, location=f"https://{agent}.example/"))
        elif what == "same":
            made.append(CardFetched(agent=agent, same_as=1))
        elif what == "pin":
            made.append(pinned(agent))
        elif what == "refuse":
            made.append(CardRefused(agent=agent, stage="parse", reason="json-syntax"))
        else:
            made.append(declared(EXTENSION if body else ClientCapabilities()))
    return made


def _lived(steps: list[tuple[str, bytes, str]], size: int, twice: int = 0) -> tuple[list[object], dict[object, object]]:
    scene = Scene()
    written = [scene.write(event) for event in _events(scene, steps)]
    again = [stored.model_copy(update={"sequence": stored.sequence + 1000}) for stored in written[:twice]]
    facts = [*written, *again]
    for at in range(0, len(facts), size):
        scene.read(facts[at : at + size])
    return [(fact.id, fact.data) for fact in scene.told], dict(scene.rows.changes)


@given(st.lists(STEPS, max_size=30), st.integers(1, 10))
def test_the_size_of_batches_changes_nothing(steps: list[tuple[str, bytes, str]], size: int) -> None:
    assert _lived(steps, 1) == _lived(steps, size)


@given(st.lists(STEPS, max_size=20))
def test_observations_stored_twice_tell_nothing_new(steps: list[tuple[str, bytes, str]]) -> None:
    observed = [step for step in steps if step[0] != "declare"]
    assert _lived(observed, 4)[0] == _lived(observed, 4, twice=len(observed))[0]


@given(st.lists(STEPS, max_size=25))
def test_other_agents_change_nothing(steps: list[tuple[str, bytes, str]]) -> None:
    def about(told: list[object]) -> list[object]:
        found = []
        for _, event in told:  # type: ignore[misc, union-attr]
            if event.agent == "pricing":
                found.append((event.cause, event.profile_digest, event.identity_digest))
        return found

    alone = [step for step in steps if step[2] != "second"]
    assert about(_lived(steps, 3)[0]) == about(_lived(alone, 3)[0])


def test_rows_survive_a_restart() -> None:
    scene = Scene()
    scene.fetch()
    scene.pin()
    tables: dict[str, dict[tuple[str, ...], dict[str, object]]] = {}
    for (table, key), row in scene.rows.taken().items():
        if row is not None:
            tables.setdefault(table, {})[key] = row
    scene.rows = Rows(tables)
    assert causes(scene.same()) == ["pin"]
