"""A poison fact holds back its own lane and no other, leaves no half-applied row, and its lane can be taken up again."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from cardtrail.events import Fact, PolicyDeclared, Stored, encode
from cardtrail.events.model.policy import Policy
from cardtrail.events.subjects import subject
from cardtrail.projections.projection import Rows
from cardtrail.services.bus.attempt import PARKED, Attempts, lane
from tests.services.bus.facts import Numbers, decided, fetched

NOW = datetime(2026, 11, 1, tzinfo=UTC)


def fold(stored: Stored, rows: Rows) -> tuple[Fact, ...]:
    Numbers().apply(stored, rows)
    return ()


def stored_bytes(fact: Fact) -> tuple[str, bytes]:
    return subject(fact.data), encode(fact)


def numbers(rows: Rows) -> dict[str, list[int]]:
    return {key[0]: row["seen"] for key, row in rows.table("numbers").items()}


def test_a_poison_fact_and_all_behind_it_in_its_lane_are_parked_and_other_lanes_go_on() -> None:
    rows = Rows()
    attempts = Attempts(fold, rows, lambda _: None)
    told = [("a", 1, ""), ("b", 2, ""), ("a", 3, "poison"), ("a", 4, ""), ("b", 5, ""), ("a", 6, "")]
    for sequence, (agent, number, detail) in enumerate(told, 1):
        attempts.apply(sequence, NOW, *stored_bytes(fetched(agent, number, detail=detail)))
    assert numbers(rows) == {"a": [1], "b": [2, 5]}
    assert [(key[0], row["sequence"], row["reason"]) for key, row in sorted(rows.table(PARKED).items())] == [
        ("a", 3, "failed"),
        ("a", 4, "behind"),
        ("a", 6, "behind"),
    ]
    assert "cannot be applied" in rows.table(PARKED)[("a", "public", f"{3:020d}")]["detail"]


def test_another_principal_of_the_same_agent_is_another_lane() -> None:
    rows = Rows()
    attempts = Attempts(fold, rows, lambda _: None)
    attempts.apply(1, NOW, *stored_bytes(fetched("a", 1, principal="x", detail="poison")))
    attempts.apply(2, NOW, *stored_bytes(fetched("a", 2, principal="y")))
    assert numbers(rows) == {"a": [2]}


def test_a_newer_version_and_broken_bytes_are_parked_by_name() -> None:
    rows = Rows()
    attempts = Attempts(fold, rows, lambda _: None)
    place, data = stored_bytes(fetched("a"))
    attempts.apply(1, NOW, place, data.replace(b".v1", b".v7"))
    attempts.apply(2, NOW, "cardtrail.events.0.b.public.card-fetched.-", b"\xff{")
    attempts.apply(3, NOW, "cardtrail.ledger.policy-declared", b"[]")
    attempts.apply(4, NOW, "cardtrail.decisions.w.c", b'"text"')
    assert [row["reason"] for _, row in sorted(rows.table(PARKED).items(), key=lambda item: item[1]["sequence"])] == [
        "unknown-version",
        "broken-event",
        "broken-event",
        "broken-event",
    ]


def test_a_lane_is_taken_up_in_order_up_to_what_still_fails() -> None:
    rows = Rows()
    first = Attempts(fold, rows, lambda _: None)
    facts = [fetched("a", 1, detail="poison"), fetched("a", 2), fetched("a", 3, detail="poison"), fetched("a", 4)]
    for sequence, fact in enumerate(facts, 1):
        first.apply(sequence, NOW, *stored_bytes(fact))
    second = Attempts(fold, rows, lambda _: None)
    ((place, _), *_) = second.parked()
    assert [sequence for _, sequence in second.parked()] == [1, 2, 3, 4]
    mended = [(1, NOW, encode(fetched("a", 1))), (2, NOW, encode(facts[1])), (3, NOW, encode(facts[2]))]
    second.retry(place, mended)
    assert numbers(rows) == {"a": [1, 2]}
    assert [sequence for _, sequence in second.parked()] == [3, 4]
    second.apply(5, NOW, *stored_bytes(fetched("a", 5)))
    assert numbers(rows) == {"a": [1, 2]}


def test_a_parked_fact_that_is_gone_from_the_log_holds_its_lane_no_longer() -> None:
    rows = Rows()
    first = Attempts(fold, rows, lambda _: None)
    facts = [fetched("a", 1, detail="poison"), fetched("a", 2)]
    for sequence, fact in enumerate(facts, 1):
        first.apply(sequence, NOW, *stored_bytes(fact))
    ((place, _), *_) = first.parked()
    first.retry(place, [(2, NOW, encode(facts[1]))], gone=[1])
    assert (first.parked(), numbers(rows)) == ([], {"a": [2]})
    later = Attempts(fold, rows, lambda _: None)
    later.apply(3, NOW, *stored_bytes(fetched("a", 3)))
    assert numbers(rows) == {"a": [2, 3]}


def test_a_derived_fact_that_can_never_be_told_parks_its_cause() -> None:
    rows = Rows()

    def check(_: Fact) -> None:
        raise ValueError("too large")

    attempts = Attempts(lambda stored, _: (stored.fact,), rows, check)
    assert attempts.apply(1, NOW, *stored_bytes(fetched("a"))) == ()
    assert len(rows.table(PARKED)) == 1


def test_a_view_of_one_principal_passes_over_the_others_and_hears_the_ledger() -> None:
    rows = Rows()
    seen = []
    attempts = Attempts(lambda stored, _: seen.append(stored.sequence) or (), rows, lambda _: None, "team a")
    policy = Fact(id=fetched().id, source="cli", time=NOW, data=PolicyDeclared(policy=Policy(), digest="d"))
    facts = [fetched("a"), fetched("a", principal="team a"), policy, decided(agent="a")]
    for sequence, fact in enumerate(facts, 1):
        attempts.apply(sequence, NOW, *stored_bytes(fact))
    assert seen == [2, 3]


@given(st.text(max_size=300), st.text(max_size=40))
def test_every_fact_of_one_agent_and_principal_is_in_one_lane_however_it_is_called(agent: str, principal: str) -> None:
    places = {
        lane(*stored_bytes(fetched(agent or "x", principal=principal or "p"))),
        lane(*stored_bytes(Fact(**dict(decided(agent=agent or "x")) | {"data": _as(agent or "x", principal or "p")}))),
    }
    assert len(places) == 1


def _as(agent: str, principal: str) -> object:
    return decided(agent=agent).data.model_copy(update={"principal": principal})


@given(st.lists(st.tuples(st.sampled_from("abc"), st.booleans()), max_size=30))
def test_each_lane_is_applied_exactly_up_to_its_first_poison(told: list[tuple[str, bool]]) -> None:
    rows = Rows()
    attempts = Attempts(fold, rows, lambda _: None)
    expected: dict[str, list[int]] = {}
    poisoned: set[str] = set()
    for sequence, (agent, poison) in enumerate(told, 1):
        attempts.apply(sequence, NOW, *stored_bytes(fetched(agent, sequence, detail="poison" if poison else "")))
        poisoned |= {agent} if poison else set()
        if agent not in poisoned:
            expected.setdefault(agent, []).append(sequence)
    assert numbers(rows) == expected
    assert len(rows.table(PARKED)) + sum(map(len, expected.values())) == len(told)


@given(st.lists(st.sampled_from(["events", "decisions", "ledger", "x", ""]), max_size=9), st.binary(max_size=40))
def test_no_subject_and_no_bytes_of_another_program_end_the_reader(tokens: list[str], data: bytes) -> None:
    rows = Rows()
    attempts = Attempts(fold, rows, lambda _: None)
    attempts.apply(1, NOW, ".".join(["cardtrail", *tokens]), data)
    attempts.apply(2, NOW, *stored_bytes(fetched("a", 1)))
    assert [row["sequence"] for row in rows.table(PARKED).values()] == [1]
    assert numbers(rows) == {"a": [1]}


def test_a_subject_that_no_event_has_is_a_lane_of_its_own() -> None:
    assert lane("cardtrail.events.x", b"{}") == ("", "cardtrail.events.x")
    assert lane("cardtrail.decisions.w", b"{}") == ("", "cardtrail.decisions.w")
    assert lane("cardtrail.decisions.w.a.more", b"{}") == ("", "cardtrail.decisions.w.a.more")
