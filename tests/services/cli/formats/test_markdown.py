import re
from dataclasses import replace

from cardtrail.services.cli.formats import render
from cardtrail.services.cli.formats.markdown import LONGEST, span
from cardtrail.services.cli.formats.report import Report
from cardtrail.services.cli.shell.console import Style
from cardtrail.services.cli.shell.text import guarded
from tests.services.cli.cards import HOSTILE
from tests.services.cli.formats.reports import breaking, full, report, review, section, unreadable


def markdown(found: Report) -> str:
    return render("markdown", found, Style())


def test_the_verdict_is_the_heading_and_notes_are_folded() -> None:
    text = markdown(full())
    assert "## ❌ breaking: `trip-planner × pricing.partner.example`" in text
    assert "| severity | rule | subject | before → now | fingerprint |" in text
    assert "1 breaking, 1 review, 1 note. Repeat: `cardtrail check …`" in text
    table, folded = text.split("<details>")
    assert "input-mode-removed" in table
    assert "skill-added" in folded
    assert "skill-added" not in table


def test_a_marker_names_the_comment_to_be_updated() -> None:
    def marker(found: Report) -> str:
        match = re.match(r"<!-- cardtrail:check:[0-9a-f]{12} -->\n", markdown(found))
        assert match
        return match[0]

    assert marker(full()) == marker(report(section()))
    assert marker(full()) != marker(report(section(workflow="other")))


def test_card_text_stands_only_in_code_spans_and_cannot_leave_them() -> None:
    text = markdown(report(*full(HOSTILE).sections, unreadable(HOSTILE), repeat=HOSTILE))
    outside = re.sub(r"`[^`\n]*`", "", text)
    assert "script" not in outside
    assert "owned" not in outside
    assert "@" not in text
    assert text.count("`") % 2 == 0
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert {row.count("|") for row in rows} == {6}


def test_it_is_never_longer_than_a_check_run_takes() -> None:
    text = markdown(report(*(section(*(breaking("x" * 190) for _ in range(300))) for _ in range(3))))
    assert len(text) < LONGEST + 500
    assert "more than fits here" in text


def test_an_empty_text_is_no_empty_span() -> None:
    assert span("") == "–"
    assert span(" ") == "–"


def test_our_own_marks_hold_nothing_that_cannot_be_seen() -> None:
    text = markdown(report(section(), section(review()), section(breaking()), replace(section(), verdict="1.0")))
    assert guarded(text) == text
