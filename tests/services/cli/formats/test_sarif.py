import json
from typing import Any

from cardtrail.services.cli.formats import render
from cardtrail.services.cli.formats.report import Place, Report
from cardtrail.services.cli.formats.sarif import MOST_RESULTS
from cardtrail.services.cli.shell.console import Style
from tests.services.cli.cards import HOSTILE
from tests.services.cli.formats.reports import FINGERPRINT, breaking, full, report, section, unreadable


def run_of(found: Report) -> Any:
    document = json.loads(render("sarif", found, Style()))
    assert (document["version"], len(document["runs"])) == ("2.1.0", 1)
    return document["runs"][0]


def test_every_result_has_one_physical_location_with_a_relative_place() -> None:
    for text in ("", HOSTILE):
        for result in run_of(report(*full(text).sections, unreadable(text)))["results"]:
            (location,) = result["locations"]
            assert location["physicalLocation"]["artifactLocation"]["uri"] == "trip.lock.json"
            assert location["physicalLocation"]["region"]["startLine"] >= 1


def test_a_result_points_at_its_rule_and_carries_our_fingerprint_alone() -> None:
    run = run_of(full())
    rules = run["tool"]["driver"]["rules"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert list(result["partialFingerprints"]) == ["cardtrail/v1"]
    first = run["results"][0]
    assert first["partialFingerprints"]["cardtrail/v1"] == FINGERPRINT
    assert first["level"] == "error"
    assert first["message"]["text"].startswith("skill itinerary-pricing no longer takes application/json. ")
    region = first["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 7, "startColumn": 52, "endLine": 7, "endColumn": 72}


def test_a_rule_says_what_code_scanning_shows() -> None:
    rule = run_of(full())["tool"]["driver"]["rules"][0]
    assert rule["name"] == "InputModeRemoved"
    assert rule["shortDescription"]["text"] == "The agent takes less."
    assert rule["help"]["markdown"]
    assert rule["defaultConfiguration"] == {"level": "error"}
    assert rule["properties"] == {"tags": ["input"], "precision": "very-high", "problem.severity": "error"}


def test_two_workflows_have_two_categories() -> None:
    def category(workflow: str) -> str:
        return run_of(report(section(breaking(), workflow=workflow)))["automationDetails"]["id"]

    assert category("trip-planner") == "cardtrail/trip-planner/"
    assert category("a/b c") == "cardtrail/a%2Fb%20c/"


def test_an_unreadable_card_is_a_notification_of_a_run_that_did_not_succeed() -> None:
    (invocation,) = run_of(report(unreadable()))["invocations"]
    assert invocation["executionSuccessful"] is False
    assert "card-unreadable" in invocation["toolExecutionNotifications"][0]["message"]["text"]


def test_no_more_results_than_are_taken_and_the_worst_first() -> None:
    many = report(section(*(breaking(place=Place("l.json", 1)) for _ in range(2)), *full().sections[0].remarks))
    assert [result["level"] for result in run_of(many)["results"]] == ["error", "error", "error", "warning", "note"]
    assert MOST_RESULTS == 25_000
