from typing import Any

from cardtrail.events.fact import Stored
from cardtrail.projections.capability_spans import CLOSED_SPANS, CapabilitySpans
from cardtrail.projections.instants import micros
from cardtrail.projections.projection import Row, Rows
from tests.projections.facts import compiled, full, profile
from tests.projections.log import START, Log


def spans(facts: list[Stored]) -> tuple[list[Row], Row]:
    """Closed spans, and the open row of the one agent with its sightings."""
    rows = Rows()
    for stored in facts:
        CapabilitySpans().apply(stored, rows)
    return rows.gathered(CLOSED_SPANS), {
        **rows.table("open_spans")[("public", "pricing")],
        **rows.table("sightings")[("public", "pricing")],
    }


def closed(log: Log, capability: str) -> list[Row]:
    return [row for row in spans(log.facts)[0] if row["capability"] == capability]


def held(log: Log, capability: str) -> dict[str, Any] | None:
    row = spans(log.facts)[1]
    if capability not in row["values"] or row["state"] != "open":
        return None
    value, place = row["values"][capability]
    return {"value": value, **row["openings"][place], "confirmed": row["confirmed"], "asserted": row["asserted"]}


def second(at: int) -> int:
    return micros(START) + at * 1_000_000


def changed(log: Log) -> None:
    """Streaming holds from 1, is confirmed at 3, asserted at 4 and gone at 5."""
    compiled(log, full(log, "one"), profile())
    log.say("card-fetched", same_as=1)
    log.say("card-fetched", status=304, same_as=1)
    compiled(log, full(log, "two"), profile(streaming=False))


def test_a_change_closes_one_span_with_the_window_between_the_last_full_answer_and_the_first_of_the_new() -> None:
    log = Log()
    changed(log)
    (span,) = closed(log, "streaming")
    assert (span["value"], span["ending"], span["closed_cause"]) == ("true", "changed", "card")
    assert (span["opened_from"], span["first_seen"]) == (None, second(1))
    assert (span["last_confirmed"], span["last_asserted"], span["ended_by"]) == (second(3), second(4), second(5))
    assert (span["opened_fact"], span["closed_fact"]) == (log.facts[0].fact.id.hex, log.facts[4].fact.id.hex)
    now = held(log, "streaming")
    assert now is not None
    assert (now["value"], now["from"], now["at"]) == ("false", second(3), second(5))


def test_what_did_not_change_goes_on_as_one_span() -> None:
    log = Log()
    changed(log)
    assert closed(log, "skills.quote.input") == []
    now = held(log, "skills.quote.input")
    assert now is not None
    assert (now["at"], now["confirmed"]) == (second(1), second(5))


def test_a_reworded_card_confirms_what_holds() -> None:
    log = Log()
    compiled(log, full(log, "one"), profile())
    full(log, "reworded")
    compiled(log, full(log, "two"), profile(streaming=False))
    (span,) = closed(log, "streaming")
    assert (span["last_confirmed"], span["ended_by"]) == (second(3), second(4))


def test_a_profile_that_comes_late_finds_what_was_known_before_its_card() -> None:
    log = Log()
    compiled(log, full(log, "one"), profile())
    card = full(log, "two")
    log.say("card-fetched", same_as=card.sequence)
    log.say("card-fetched", same_as=card.sequence)
    compiled(log, card, profile(streaming=False))
    (span,) = closed(log, "streaming")
    assert (span["last_confirmed"], span["ended_by"]) == (second(1), second(3))
    now = held(log, "streaming")
    assert now is not None
    assert (now["at"], now["confirmed"]) == (second(3), second(5))


def test_a_skill_that_goes_is_removed_and_one_that_comes_opens() -> None:
    log = Log()
    compiled(log, full(log, "one"), profile(quote=("a/json",)))
    compiled(log, full(log, "two"), profile(book=("a/json",)))
    assert [span["ending"] for span in closed(log, "skills.quote.input")] == ["removed"]
    assert held(log, "skills.quote.input") is None
    now = held(log, "skills.book.input")
    assert now is not None
    assert now["from"] == second(1)


def test_a_boundary_that_our_compiler_made_stands_at_our_time_and_says_so() -> None:
    log = Log()
    card = full(log, "one")
    compiled(log, card, profile())
    compiled(log, card, profile(streaming=False), cause="compiler", compiler_version="2")
    (span,) = closed(log, "streaming")
    assert (span["closed_cause"], span["ended_by"], span["closed_sequence"]) == ("compiler", second(3), 3)


def test_an_unreadable_card_leaves_the_unknown_between_two_spans() -> None:
    log = Log()
    compiled(log, full(log, "one"), profile())
    log.say("card-refused", stage="parse", reason="not-json", status=200)
    assert held(log, "streaming") is None
    log.say("card-refused", stage="parse", reason="not-json", status=200)
    log.say("card-fetched", same_as=1)
    (span,) = closed(log, "streaming")
    assert (span["ending"], span["last_confirmed"], span["ended_by"]) == ("unreadable", second(1), second(3))
    now = held(log, "streaming")
    assert now is not None
    assert (now["value"], now["from"], now["at"]) == ("true", second(4), second(5))


def test_a_card_that_comes_back_changed_leaves_no_span_of_what_never_held_again() -> None:
    log = Log()
    compiled(log, full(log, "one"), profile())
    log.say("card-refused", stage="parse", reason="not-json", status=200)
    compiled(log, full(log, "two"), profile(streaming=False))
    assert [span["ending"] for span in closed(log, "streaming")] == ["unreadable"]
    now = held(log, "streaming")
    assert now is not None
    assert now["value"] == "false"


def test_an_unreachable_agent_keeps_its_spans_and_an_untracked_one_ends_them() -> None:
    log = Log()
    compiled(log, full(log, "one"), profile())
    log.say("card-refused", stage="connect", reason="timed-out")
    assert closed(log, "streaming") == []
    log.say("agent-untracked")
    assert [span["ending"] for span in closed(log, "streaming")] == ["untracked"]
    assert held(log, "streaming") is None


def test_an_aged_answer_speaks_of_the_time_it_was_made_and_time_never_runs_back() -> None:
    log = Log()
    compiled(log, full(log, "one"), profile())
    log.say("card-fetched", same_as=1, freshness={"age_s": 60})
    now = held(log, "streaming")
    assert now is not None
    assert now["confirmed"] == second(1)


def test_a_to_b_to_a_is_three_spans() -> None:
    log = Log()
    for digest, streaming in (("a", True), ("b", False), ("a", True)):
        compiled(log, full(log, digest), profile(streaming=streaming))
    assert [span["value"] for span in closed(log, "streaming")] == ["true", "false"]
    now = held(log, "streaming")
    assert now is not None
    assert now["value"] == "true"
