"""The story of an agent: a line per cause, what follows beside it, nothing lost in the folding."""

from hypothesis import given
from hypothesis import strategies as st

from cardtrail.events import Stored
from cardtrail.events.fact import instant
from cardtrail.events.model.profile import Identity
from cardtrail.services.cli.live.story import Story
from cardtrail.services.cli.outputs.history import HistoryEntry
from tests.projections.facts import compiled, decided, full, lock, pinned, profile
from tests.projections.log import Log


def story(log: Log, *, everything: bool = False) -> list[HistoryEntry]:
    told = Story(everything=everything)
    for stored in log.facts:
        told.tell(stored)
    return list(told.told())


def caused(log: Log, cause: Stored, verdict: str, action: str) -> None:
    decided(log, verdict, action, "streaming-withdrawn", causes=(cause.fact.id,))


def test_a_card_its_profile_and_its_decisions_are_one_line() -> None:
    log = Log()
    compiled(log, full(log, "a"), profile())
    pinned(log, lock())
    profile_fact = compiled(log, full(log, "b"), profile(streaming=False))
    caused(log, profile_fact, "breaking", "stop")
    first, pin, changed = story(log)
    assert (first.what, first.text) == ("card", "3.2.0, first seen")
    assert pin.what == "pinned"
    assert changed.text == "3.2.0, changed: streaming; decision ✗ breaking, trip, stop (streaming-withdrawn)"
    assert [fact.sequence for fact in changed.facts] == [4, 5, 6]


def test_a_decision_that_a_folded_look_brought_stands_at_its_own_time() -> None:
    log = Log()
    card = full(log, "a")
    shown = compiled(log, card, profile())
    look = log.say("card-fetched", same_as=card.sequence, status=304)
    decided(log, "compatible", "allow", causes=(look.fact.id, shown.fact.id, card.fact.id), recovered=True)
    first, decision = story(log)
    assert first.text == "3.2.0, first seen"
    assert (decision.what, decision.text) == ("decision", "✓ recovered, trip, allow")
    assert decision.at == instant(log.facts[-1].fact.time)
    *_, seen = story(log, everything=True)
    assert [fact.sequence for fact in seen.facts] == [3, 4], "where the look is shown, the decision stands beside it"


def test_what_our_compiler_reads_anew_stands_at_its_own_time() -> None:
    log = Log()
    card = full(log, "a")
    compiled(log, card, profile())
    compiled(log, card, profile(streaming=False), cause="compiler")
    assert [(entry.what, entry.text) for entry in story(log)] == [
        ("card", "3.2.0, first seen"),
        ("profile", "3.2.0, changed: streaming (a newer compiler)"),
    ]


def test_few_changed_capabilities_are_named_as_blame_takes_them_and_many_are_counted() -> None:
    log = Log()
    modes = ("a/json",)
    compiled(log, full(log, "a"), profile(quote=modes))
    compiled(log, full(log, "b"), profile(quote=("b/json",)))
    compiled(log, full(log, "c"), profile(quote=modes, offer=modes))
    assert [entry.text for entry in story(log)][1:] == [
        "3.2.0, changed: quote.input, quote.output",
        "3.2.0, changed: 6 capabilities",
    ]


def test_an_unchanged_answer_is_folded_and_shown_when_asked_for() -> None:
    log = Log()
    first = full(log, "a")
    log.say("card-fetched", same_as=first.sequence, status=304)
    assert [entry.what for entry in story(log)] == ["card"]
    assert [entry.text for entry in story(log, everything=True)][1] == "unchanged, HTTP 304"


def test_a_refusal_keeps_a_profile_where_there_is_one_and_a_file_has_no_status() -> None:
    log = Log()
    log.say("card-refused", stage="fetch", reason="not-found")
    first = full(log, "a")
    compiled(log, first, profile())
    log.say("card-refused", stage="fetch", reason="not-found")
    log.say("card-fetched", same_as=first.sequence, status=0)
    assert [entry.text for entry in story(log, everything=True)] == [
        "fetch: not-found",
        "3.2.0, first seen",
        "fetch: not-found; last good profile kept",
        "answers again, unchanged",
    ]


def test_a_new_version_that_changes_nothing_else_counts_no_members() -> None:
    log = Log()
    compiled(log, full(log, "a"), profile())
    compiled(log, full(log, "b"), profile(), identity=Identity(version="4.0.0"))
    assert [entry.text for entry in story(log)] == ["3.2.0, first seen", "3.2.0 → 4.0.0"]


def test_time_that_passed_is_said_in_words_and_what_is_merely_due_is_folded() -> None:
    log = Log()
    for what in ("refresh", "probe", "staleness", "acknowledgement"):
        log.say("deadline-passed", what=what, due="2026-12-01T00:00:00Z")
    assert [(entry.what, entry.text) for entry in story(log)] == [
        ("time", "no answer for longer than the staleness allows"),
        ("time", "an acceptance has ended"),
    ]
    assert len(story(log, everything=True)) == 4


def finding(code: str, level: str = "warning") -> dict[str, str]:
    return {"code": code, "name": f"name-{code}", "level": level, "path": "$", "message": "x"}


def test_what_is_new_about_signatures_or_the_way_a_card_was_had_is_a_line_and_told_once() -> None:
    log = Log()
    compiled(log, full(log, "a"), profile())
    full(log, "a", findings=[finding("CT105"), finding("CT031"), finding("CT204", "info")])
    full(log, "a", findings=[finding("CT105"), finding("CT209", "error")])
    full(log, "a", findings=[finding("CT209", "error")])
    compiled(log, full(log, "b", findings=[finding("CT208")]), profile(streaming=False))
    assert [entry.text for entry in story(log)][1:] == [
        "unchanged, HTTP 200; CT105 name-CT105",
        "unchanged, HTTP 200; CT209 name-CT209",
        "3.2.0, changed: streaming; CT208 name-CT208",
    ]


def test_the_first_of_equal_refusals_is_told_and_so_is_their_end() -> None:
    log = Log()
    first = full(log, "a")
    for _ in range(3):
        log.say("card-refused", stage="connect", reason="timed-out")
    log.say("card-refused", stage="fetch", reason="status", status=503)
    log.say("card-fetched", same_as=first.sequence)
    told = [f"{entry.what} {entry.text}" for entry in story(log)][1:]
    assert told == [
        "refused connect: timed-out; last good profile kept",
        "refused fetch: status; last good profile kept",
        "card answers again, unchanged, HTTP 200",
    ]


def test_what_one_principal_knows_is_not_what_another_knows() -> None:
    log = Log()
    full(log, "a")
    full(log, "a", principal="desk")
    assert [entry.principal for entry in story(log)] == ["public", "desk"]


def test_what_a_card_says_cannot_command_a_terminal() -> None:
    log = Log()
    log.say("card-refused", stage="parse", reason="not-a-card", detail="\x1b[2J\u202egone")
    (entry,) = story(log)
    assert "\x1b" not in entry.text
    assert "\\u202e" in entry.text


ANSWERS = st.lists(st.sampled_from(["a", "b", "same", "refused"]), max_size=30)


@given(ANSWERS)
def test_every_fact_is_either_on_a_line_or_counted_as_folded(answers: list[str]) -> None:
    log, last = Log(), 0
    for answer in answers:
        if answer == "refused":
            log.say("card-refused", stage="connect", reason="timed-out")
        elif answer == "same":
            log.say("card-fetched", same_as=last or 1)
        else:
            last = full(log, answer).sequence
    told = Story()
    for stored in log.facts:
        told.tell(stored)
    shown = sum(len(entry.facts) for entry in told.told())
    assert shown + told.folded == told.facts == len(log.facts)
    assert sum(len(entry.facts) for entry in story(log, everything=True)) == len(log.facts)
