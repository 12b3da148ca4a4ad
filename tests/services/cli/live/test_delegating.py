"""can-i-delegate and impact as people read them: reasons last, `unknown` a word of its own, nothing of a card unescaped."""

from typing import Any

from cardtrail.services.cli.live import delegating_text, impacted_text
from cardtrail.services.cli.outputs.can_i_delegate import CandidateAnswer, CanIDelegateOutput, SkillAnswer
from cardtrail.services.cli.outputs.impact import Dependant, ImpactOutput, WithCard
from cardtrail.services.cli.outputs.status import Lag
from cardtrail.services.cli.shell.console import Style
from cardtrail.services.planner.permission import Reason
from tests.services.cli.cards import ACTIVE, HOSTILE

NOW = "2026-11-30T12:00:00.000Z"
UP_TO_DATE = Lag(facts=0, seconds=0.0)
WIDE, PIPE = Style(columns=200), Style()


def candidate(
    agent: str, answer: Any = "yes", verdict: Any = "compatible", *reasons: Reason, **more: Any
) -> CandidateAnswer:
    told: dict[str, Any] = {
        "agent": agent, "skill": "quote", "answer": answer, "verdict": verdict, "card": "1.9.2", "evidence": "claimed",
        "evidence_at": None, "seen_at": "2026-11-30T11:59:20.000Z", "untracked": False, "reasons": reasons,
    }  # fmt: skip
    return CandidateAnswer.model_validate(told | more)


BROKEN = candidate(
    "pricing", "no", "breaking", Reason(code="stopped", detail="input-mode-removed", agent="pricing"),
    card="4.0.0", evidence="contradicted", evidence_at="2026-11-30T11:58:00.000Z",
)  # fmt: skip
GONE = candidate("quotes", "unknown", "unknown", Reason(code="stale", detail="heard never", agent="quotes"), card="")


def skill(*candidates: CandidateAnswer, **more: Any) -> SkillAnswer:
    use = next((one for one in candidates if one.answer == "yes"), None)
    told: dict[str, Any] = {
        "workflow": "trip-planner", "principal": "public", "skill": "quote", "answer": "yes" if use else "no",
        "first": bool(candidates) and candidates[0].answer == "yes", "agent": use.agent if use else None,
        "agent_skill": "quote", "person": "", "ambiguous": False, "candidates": candidates,
    }  # fmt: skip
    return SkillAnswer.model_validate(told | more)


def found(*answers: SkillAnswer, unknown: int = 0) -> CanIDelegateOutput:
    return CanIDelegateOutput(
        format="cardtrail.can-i-delegate/1", at=NOW, allowed=None, unknown=unknown, answers=answers,
        lag=UP_TO_DATE,
    )  # fmt: skip


def test_a_row_per_candidate_in_order_with_the_reason_last() -> None:
    lines = list(delegating_text.lines(found(skill(BROKEN, candidate("fares"), GONE), unknown=1), WIDE))
    assert [line.split() for line in lines[1:4]] == [
        ["pricing", "4.0.0", "✗", "breaking", "contradicted", "2", "m", "40", "s", "input-mode-removed"],
        ["fares", "1.9.2", "✓", "compatible", "claimed", "40", "s", "satisfies", "the", "same", "lock"],
        ["quotes", "???", "?", "unknown", "claimed", "40", "s", "stale:", "heard", "never"],
    ]
    assert lines[4] == "no: use fares instead (--any: a planner does); 1 unknown (--wait 60s)"


def test_a_pipe_gets_the_same_rows_with_tabs_and_instants() -> None:
    lines = list(delegating_text.lines(found(skill(BROKEN)), PIPE))
    cells = [
        "pricing", "4.0.0", "✗ breaking", "contradicted 2026-11-30T11:58:00Z", "2026-11-30T11:59:20Z",
        "input-mode-removed",
    ]  # fmt: skip
    assert lines[1].split("\t") == cells


def test_the_answer_names_the_person_where_nobody_is_left() -> None:
    assert delegating_text.summary(skill(BROKEN, person="the travel desk")) == "no: ask the travel desk"
    assert delegating_text.summary(skill(BROKEN)) == "no: nobody is left"
    assert delegating_text.summary(skill(candidate("pricing"))) == "yes: pricing"
    assert delegating_text.summary(skill(candidate("pricing")), anybody=True) == "yes: pricing"
    other = delegating_text.summary(skill(BROKEN, candidate("fares")), anybody=True)
    assert other == "yes: fares, in place of pricing"
    told = delegating_text.summary(skill(candidate("pricing"), ambiguous=True))
    assert told.startswith("yes: pricing; several locks name this skill")


def test_several_skills_have_a_column_and_an_answer_each() -> None:
    lines = list(delegating_text.lines(found(skill(BROKEN), skill(candidate("fares"), skill="book")), PIPE))
    assert lines[0].startswith("SKILL\tAGENT")
    assert lines[-2:] == ["quote: no: nobody is left", "book: yes: fares"]


def test_a_lock_without_a_route_is_unknown() -> None:
    (line,) = delegating_text.lines(found(unknown=1), PIPE)
    assert line.startswith("unknown:")


def test_the_matrix_shows_the_worst_over_the_skills_and_who_is_used() -> None:
    answers = (
        skill(BROKEN, candidate("fares")),
        skill(candidate("pricing"), skill="book"),
        skill(GONE, workflow="billing"),
    )
    lines = list(delegating_text.matrix(found(*answers), PIPE))
    assert [line.split("\t") for line in lines[:-1]] == [
        ["WORKFLOW", "fares", "pricing", "quotes"],
        ["billing", "-", "-", "? unknown"],
        ["trip-planner", "✓ compatible *", "✗ breaking *", "-"],
    ]
    assert lines[-1] == "2 workflows, 3 agents; * used now, - no candidate"


def dependant(**more: Any) -> Dependant:
    told: dict[str, Any] = {
        "workflow": "trip-planner", "principal": "public", "skill": "quote", "owner": "mira", "channel": "", "named": "p",
        "role": "first", "verdict": "compatible", "used": True, "instead": None, "person": "", "stops": True,
        "with_card": None,
    }  # fmt: skip
    return Dependant.model_validate(told | more)


def impact(*dependants: Dependant, card: str | None = None, lag: Lag = UP_TO_DATE) -> list[str]:
    told = ImpactOutput(
        format="cardtrail.impact/1", at=NOW, agent="pricing", card=card, dependants=dependants,
        workflows=len(dependants), stopping=1, lag=lag,
    )  # fmt: skip
    return list(impacted_text.lines(told, PIPE))


def test_an_impact_says_who_stops_and_who_takes_over() -> None:
    lines = impact(
        dependant(), dependant(instead="fares", stops=False),
        dependant(used=False, stops=False, role="fallback", instead="own"), dependant(person="the desk"),
        dependant(used=False, stops=False, person="the desk"),
    )  # fmt: skip
    assert [line.split("\t")[-1] for line in lines[1:-1]] == [
        "stops: nobody is left", "fares takes over", "goes on as it is", "stops: ask the desk",
        "is stopped already: ask the desk",
    ]  # fmt: skip
    assert impact() == ["no lock names pricing: nobody would notice; lag 0.0 s"]
    behind = impact(lag=Lag(facts=2, seconds=3.0))
    assert behind[0].endswith("lag 3.0 s (2 facts)")
    assert "not all that was told" in behind[1]


def test_under_another_card_each_lock_says_its_verdict() -> None:
    judged = WithCard(verdict="breaking", action="stop", findings=())
    lines = impact(dependant(with_card=judged), dependant(role="fallback"), card="next.json")
    assert lines[0].endswith("WITH THIS CARD")
    assert [line.split("\t")[-1] for line in lines[1:3]] == ["✗ breaking", "-"]


def test_nothing_that_others_wrote_is_active() -> None:
    hostile = candidate(HOSTILE, "no", "breaking", Reason(code="stopped", detail=HOSTILE), card=HOSTILE)
    texts = [
        *delegating_text.lines(found(skill(hostile, person=HOSTILE, skill=HOSTILE), skill(hostile)), WIDE),
        *delegating_text.matrix(found(skill(hostile, workflow=HOSTILE)), WIDE),
        *impact(dependant(workflow=HOSTILE, skill=HOSTILE, owner=HOSTILE, person=HOSTILE), card=HOSTILE),
    ]
    assert not [mark for mark in ACTIVE for text in texts if mark in text]
