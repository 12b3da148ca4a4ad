import xml.etree.ElementTree as ET

from cardtrail.services.cli.formats import render
from cardtrail.services.cli.formats.report import Report
from cardtrail.services.cli.shell.console import Style
from tests.services.cli.cards import HOSTILE
from tests.services.cli.formats.reports import breaking, full, report, review, section, unreadable


def suites(found: Report) -> ET.Element:
    return ET.fromstring(render("junit", found, Style()))  # noqa: S314 — our own output


def names(found: Report) -> list[tuple[str, str]]:
    return [(case.get("classname", ""), case.get("name", "")) for case in suites(found).iter("testcase")]


def test_each_rule_applied_is_a_case_so_that_a_mended_one_shows_as_passed() -> None:
    broken, mended = suites(full()), suites(report(section()))
    assert [case.get("name") for case in mended.iter("testcase")] == [
        "input-mode-removed",
        "skill-added",
        "tenant-changed",
    ]
    assert len(list(mended.iter("failure"))) == 0
    assert [case.get("name") for case in broken.iter("testcase")] == [
        "input-mode-removed skills[itinerary-pricing].inputModes",
        "agent-version-changed version",
        "skill-added skills[refunds]",
        "tenant-changed",
    ]
    assert {name: broken.get(name) for name in ("tests", "failures", "errors", "skipped", "time")} == {
        "tests": "4",
        "failures": "1",
        "errors": "0",
        "skipped": "0",
        "time": "0",
    }


def test_a_failure_names_the_lock_line_and_its_body_says_all() -> None:
    case = next(suites(full()).iter("testcase"))
    assert (case.get("file"), case.get("line")) == ("trip.lock.json", "7")
    assert case.get("classname") == "trip-planner × pricing.partner.example"
    failure = case.find("failure")
    assert failure is not None
    assert failure.get("type") == "input-mode-removed"
    assert "\n" not in failure.get("message", "")
    body = failure.text or ""
    assert all(
        word in body for word in ("needs", "before", "now", "help", "3f0a91c2d7e4", "https://pricing.partner.example")
    )


def test_below_the_gate_a_finding_passes_with_output() -> None:
    mild = suites(report(section(review())))
    assert len(list(mild.iter("failure"))) == 0
    assert "4.0.0" in (next(mild.iter("system-out")).text or "")
    assert len(list(suites(report(section(review()), gate="warning")).iter("failure"))) == 1


def test_no_two_cases_have_one_class_and_name() -> None:
    found = names(report(section(breaking(), breaking()), section(breaking())))
    assert len(found) == len(set(found))


def test_several_cards_of_one_pair_are_suites_and_classes_of_their_own() -> None:
    agent = "pricing.partner.example"
    two = [section(breaking(), card=card) for card in ("old.json", "new.json")]
    suite = [one.get("name") for one in suites(report(*two)).iter("testsuite")]
    assert suite == [f"trip-planner × {agent} (old.json)", f"trip-planner × {agent} (new.json)"]
    assert {one for one, _ in names(report(*two))} == set(suite)
    assert {name for _, name in names(report(two[0]))} == {name for _, name in names(report(*two))}


def test_an_unreadable_card_is_an_error() -> None:
    found = suites(report(unreadable()))
    assert (found.get("errors"), found.get("failures")) == ("1", "0")
    assert next(found.iter("error")).get("type") == "card-unreadable"


def test_hostile_text_leaves_the_document_well_formed_and_its_shape_the_same() -> None:
    assert [case.tag for case in suites(full(HOSTILE)).iter()] == [case.tag for case in suites(full()).iter()]
