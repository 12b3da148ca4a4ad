import random

from cardtrail.events.fact import instant
from cardtrail.events.model.finding import Diagnostic
from cardtrail.projections.projection import Rows
from cardtrail.services.web.attempts import ATTEMPTS, SHOWN, Attempts
from cardtrail.services.web.views.agent import agent_view
from tests.projections.every_kind import one_of_each
from tests.projections.facts import decided, full
from tests.projections.log import Log
from tests.services.web.scene import NOW, past, story


def test_every_kind_of_fact_can_be_told_and_shown() -> None:
    told = past(one_of_each())
    view = agent_view(told, ("public",), ("pricing",), NOW, "fresh")
    assert view.lines == len(view.story) > 5
    assert view.model_dump_json()


def test_continued_from_anywhere_it_says_the_same_as_read_at_once() -> None:
    facts = story().facts
    whole = past(facts)
    for cut in range(len(facts)):
        told = past(facts[:cut])
        for stored in facts[cut:]:
            told.tell(stored)
        assert told.rows.table("lockfile_status") == whole.rows.table("lockfile_status")
        assert told.rows.appended == whole.rows.appended
        assert told.marks == whole.marks
        assert [entry.shown() for entry in told.story.entries] == [entry.shown() for entry in whole.story.entries]


def test_an_agent_nobody_has_answered_for_is_shown_as_what_it_is() -> None:
    log = Log()
    log.say("agent-tracked", target={"kind": "domain", "value": "p.example"})
    view = agent_view(past(log.facts), ("public",), ("pricing",), NOW, "unheard")
    assert (view.profile, view.last_success, view.strip.text) == (None, None, "never looked at")
    assert view.target == "p.example"


def test_a_decision_that_an_unchanged_look_brought_stands_at_its_own_time_and_leads_to_itself() -> None:
    log = story()
    look = log.say("card-fetched", same_as=7, status=304)
    decision = decided(log, "compatible", "allow", causes=(look.fact.id,), recovered=True)
    newest = agent_view(past(log.facts), ("public",), ("pricing",), NOW, "fresh").story[0]
    assert (newest.what, newest.at, newest.decision) == (
        "decision",
        instant(decision.fact.time),
        str(decision.fact.id),
    )


def test_the_last_fifty_looks_are_kept_and_a_late_one_is_none_of_them() -> None:
    log, rows = Log(), Rows()
    course = random.Random(7).choices("ab!", k=80)
    for step in course:
        if step == "!":
            log.say("card-refused", stage="fetch", reason="timeout")
        else:
            full(log, step)
    log.tell(log.facts[3].fact.data, at=1.5)
    for stored in log.facts:
        rows.mark()
        Attempts().apply(stored, rows)
    row = rows.get(ATTEMPTS, ("public", "pricing"))
    assert row is not None
    answers = [step for step in course if step != "!"]
    assert len(row["codes"]) == SHOWN
    assert row["codes"][-1] == ("r" if course[-1] == "!" else "u" if answers[-1] == answers[-2] else "c")


def test_what_was_found_about_a_card_stands_while_the_card_does_errors_first() -> None:
    log, odd = Log(), (_found("CT301", "info"), _found("CT201", "error"), _found("CT105", "warning"))
    assert _shown(log) == (None, [])
    card = full(log, "a", findings=odd).sequence
    assert _shown(log) == (card, ["CT201", "CT105", "CT301"])
    log.say("card-fetched", same_as=card, status=304)
    log.say("card-refused", stage="fetch", reason="timeout")
    full(log, "z", principal="travel-desk", findings=(_found("CT202", "error"),))
    assert _shown(log) == (card, ["CT201", "CT105", "CT301"])
    assert _shown(log, "travel-desk")[1] == ["CT202"]
    assert _shown(log, through=card - 1) == (None, [])
    mended = full(log, "b").sequence
    assert _shown(log) == (mended, [])


def _found(code: str, level: str) -> Diagnostic:
    return Diagnostic.model_validate({"code": code, "name": "odd", "level": level, "path": "$.name", "message": "odd"})


def _shown(log: Log, principal: str = "public", through: int | None = None) -> tuple[int | None, list[str]]:
    view = agent_view(past(log.facts[:through], principal), ("public",), ("pricing",), NOW, "fresh")
    return view.found_in, [one.code for one in view.findings]
