"""Text as people and CI logs read it: golden, line by line."""

from cardtrail.services.cli.formats import render
from cardtrail.services.cli.formats.report import Place, Remark, Report, Section
from cardtrail.services.cli.shell.console import Style
from tests.services.cli.formats.reports import breaking, full, note, report, review, section


def text(found: Report) -> list[str]:
    return render("text", found, Style()).splitlines()


def test_a_card_that_may_be_relied_on_is_one_line() -> None:
    assert text(report(section(note(), note()))) == [
        "✓ compatible  trip-planner × pricing.partner.example  3.2.1  card 6f1c…e2  (2 notes: --level note)"
    ]


def test_a_failing_check_lists_the_worst_first_and_ends_with_the_verdict() -> None:
    assert text(full()) == [
        "✗ breaking  input-mode-removed     skills[itinerary-pricing].inputModes  trip.lock.json:7:52  3f0a91c2d7e4",
        "            needs [application/json] · before [application/json, text/plain] · now [text/plain]",
        "! review    agent-version-changed  3.2.0 → 4.0.0  trip.lock.json:3:18  5d7e02b19c44",
        "✗ breaking: 1 breaking, 1 review, 1 note (--level note). New delegations of trip-planner stop; running tasks go on.",
    ]


def test_notes_are_listed_when_asked_for() -> None:
    lines = text(report(section(note()), shown="note"))
    assert lines[0] == "· note      skill-added  skills[refunds]  trip.lock.json:2:1  999999999999"
    assert lines[-1] == "✓ compatible: 0 breaking, 0 review, 1 note."


def test_several_cards_each_end_with_their_own_verdict_and_name() -> None:
    lines = text(report(section(review()), section()))
    whose = "trip-planner × pricing.partner.example"
    card = "https://pricing.partner.example"
    assert lines[-2].startswith(f"! review: {whose}, {card}: 0 breaking, 1 review, 0 notes.")
    assert lines[-1].startswith(f"✓ compatible  {whose}  {card}  ")


def test_a_diff_shows_what_went_what_came_and_what_changed() -> None:
    gone = breaking(needs=None, before=["application/json", "text/plain"], after=["text/plain"])
    found = Report("diff", (section(gone, review(), note(), silent=("key order",)),), shown="note")
    assert text(found) == [
        "✗ breaking  trip-planner × pricing.partner.example  https://pricing.partner.example",
        "- skills[itinerary-pricing].inputModes  application/json  ✗ breaking  input-mode-removed",
        "~ version                               3.2.0 → 4.0.0     ! review    agent-version-changed",
        "+ skills[refunds]                       refunds           · note      skill-added",
        "1 breaking, 1 review, 1 note. Not counted: key order.",
    ]


def test_lint_shows_the_source_line_with_a_caret_and_the_hint() -> None:
    source = '{\n  "protocolBinding": "jsonrpc",\n}'
    wrong = Remark(
        "CT017",
        "error",
        "error",
        "binding-unknown",
        '"jsonrpc" is no known binding',
        Place("card.json", 2, 22, 2, 31),
        path="$.supportedInterfaces[1].protocolBinding",
        hint='did you mean "JSONRPC"?',
    )
    assert text(_linted(wrong, source)) == [
        'error CT017 card.json:2:22 $.supportedInterfaces[1].protocolBinding: "jsonrpc" is no known binding',
        '    2 |   "protocolBinding": "jsonrpc",',
        '      |                      ^^^^^^^^^ did you mean "JSONRPC"?',
        "shape hybrid, read as 1.0: 1 error, 0 warnings. Explain: cardtrail rules CT017",
    ]


def test_of_a_card_in_one_line_only_the_surroundings_are_shown() -> None:
    source = '{"a":' + " " * 5_000 + '"wrong"' + " " * 5_000 + "}"
    wrong = Remark("CT012", "error", "error", "s", "m", Place("c", 1, 5_006, 1, 5_013))
    lines = text(_linted(wrong, source))
    assert max(map(len, lines[1:3])) < 140
    assert lines[1][lines[2].index("^") :].startswith('"wrong"')


def _linted(remark: Remark, source: str) -> Report:
    return Report("lint", (Section("card.json", "hybrid", {}, (remark,), source=source),))
