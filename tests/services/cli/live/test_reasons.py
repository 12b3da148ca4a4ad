"""A row about one skill says when what stops its lock is about another one, or about none."""

from typing import Any

from cardtrail.services.cli.live.reasons import detailed
from cardtrail.services.planner.permission import Reason

STOPPED = Reason(code="stopped", detail="input-mode-removed, streaming-withdrawn", agent="pricing")


def row(*skills: str) -> dict[str, Any]:
    findings = [
        {"rule": "input-mode-removed", "severity": "breaking", "subject": "skills[quote].inputModes"},
        {"rule": "streaming-withdrawn", "severity": "breaking", "subject": "capabilities.streaming"},
        {"rule": "agent-version-changed", "severity": "review", "subject": "version"},
    ]
    return {"verdict": "breaking", "findings": findings, "requires": {"skills": {key: {} for key in skills}}}


def test_what_is_about_another_skill_or_none_is_told_so() -> None:
    of_quote = detailed(STOPPED, row("quote", "refunds"), "quote", "")
    of_refunds = detailed(STOPPED, row("quote", "refunds"), "refunds", "")
    assert of_quote.detail == "input-mode-removed, streaming-withdrawn (the whole lock)"
    assert of_refunds.detail == "input-mode-removed (skill quote), streaming-withdrawn (the whole lock)"


def test_a_lock_of_one_skill_has_nothing_to_tell_apart() -> None:
    assert detailed(STOPPED, row("quote"), "quote", "").detail == STOPPED.detail


def test_what_holds_it_comes_last() -> None:
    told = detailed(STOPPED, row("quote"), "quote", "held by card-flapping: 1 of 3 equal looks").detail
    assert told == f"{STOPPED.detail}, held by card-flapping: 1 of 3 equal looks"


def test_a_reason_that_no_finding_gives_stays_as_it_is() -> None:
    stale = Reason(code="stale", detail="heard never", agent="pricing")
    assert detailed(stale, row("quote"), "quote", "held") == stale
    assert detailed(STOPPED, None, "quote", "") == STOPPED
