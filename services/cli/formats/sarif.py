"""SARIF 2.1.0 for code scanning. GitHub refuses a whole file in which one result has no physical location.

Our fingerprint stands under `cardtrail/v1`: `primaryLocationLineHash` is the uploader's. `automationDetails.id` names the
workflow, or the alerts of two locks would close each other. Caps: 25,000 results a run, 20 tags a rule.
"""

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from cardtrail.events.errors import CardtrailError
from cardtrail.services.cli.formats.place import uri
from cardtrail.services.cli.formats.report import Place, Remark, Report, RuleDoc, Section
from cardtrail.services.cli.formats.words import facts, message
from cardtrail.services.cli.shell.console import Style, as_json
from cardtrail.services.cli.shell.text import plain

HOME = "urn:cardtrail"
SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
MOST_RESULTS = 25_000
_MOST_TAGS = 20
_LONGEST = 1_000
_SEVERITY = {"error": "error", "warning": "warning", "note": "recommendation"}


def render(report: Report, style: Style) -> str:
    """One run: every rule that was applied, every finding, worst first."""
    del style
    return as_json({"$schema": SCHEMA, "version": "2.1.0", "runs": [_run(report)]}) + "\n"


def _run(report: Report) -> dict[str, Any]:
    remarks = list(report.remarks())
    names = list(dict.fromkeys([*report.rules, *(remark.rule for _, remark in remarks)]))
    failures = list(report.failures())
    workflows = [section.workflow for section in report.sections if section.workflow and section.judged]
    workflow = (
        workflows[0] if workflows else report.tool
    )  # a run that judged nothing must not close the workflow's alerts
    return {
        "tool": {
            "driver": {
                "name": "cardtrail",
                "semanticVersion": report.release,
                "informationUri": HOME,
                "rules": [_rule(name, report.rules.get(name)) for name in names],
            }
        },
        "automationDetails": {"id": f"cardtrail/{quote(plain(workflow), safe='')}/"},
        "columnKind": "unicodeCodePoints",
        "invocations": [
            {
                "executionSuccessful": not failures,
                "toolExecutionNotifications": [_notification(section, error) for section, error in failures],
            }
        ],
        "results": [_result(section, remark, names) for section, remark in remarks[:MOST_RESULTS]],
    }


def _notification(section: Section, error: CardtrailError) -> dict[str, Any]:
    parts = (
        plain(error.message, 500).rstrip("."),
        error.hint and f"hint: {plain(error.hint, 500)}",
        f"File: {plain(error.file)}",
    )
    told = ". ".join(part for part in parts if part and part != "File: ")
    return {
        "descriptor": {"id": plain(error.code)},
        "level": "error",
        "message": {"text": f"{plain(error.code)}: {told}"},
        "locations": [_location(section.failed_at)],
    }


def _rule(name: str, doc: RuleDoc | None) -> dict[str, Any]:
    level = doc.level if doc else "warning"
    title = doc.title if doc else name
    text = (doc.explanation if doc else "") or title
    return {
        "id": plain(name),
        "name": "".join(word.capitalize() for word in plain(name).split("-")),
        "shortDescription": {"text": f"{title}."},
        "fullDescription": {"text": text[:_LONGEST]},
        "help": {"text": f"{text}\n\ncardtrail rules {name}", "markdown": f"{text}\n\n`cardtrail rules {name}`"},
        "helpUri": f"{HOME}:rule:{quote(plain(name))}",
        "defaultConfiguration": {"level": level},
        "properties": {
            "tags": list(doc.tags[:_MOST_TAGS] if doc else ()),
            "precision": "very-high",
            "problem.severity": _SEVERITY[level],
        },
    }


def _result(section: Section, remark: Remark, names: Sequence[str]) -> dict[str, Any]:
    told = message(remark).rstrip(".")
    more = "; ".join(f"{name} {value}" for name, value in facts(remark))
    seen = f"{plain(section.card)} {plain(remark.path)}".strip()
    result: dict[str, Any] = {
        "ruleId": plain(remark.rule),
        "ruleIndex": names.index(remark.rule),
        "level": remark.level,
        "message": {"text": ". ".join(part for part in (told, more, f"Card: {seen}") if part)},
        "locations": [_location(remark.place)],
    }
    if remark.fingerprint:
        result["partialFingerprints"] = {"cardtrail/v1": remark.fingerprint}
    if remark.related is not None:
        result["relatedLocations"] = [{**_location(remark.related), "message": {"text": "in the card"}}]
    return result


def _location(place: Place) -> dict[str, Any]:
    region = {"startLine": max(1, place.line), "startColumn": max(1, place.column)}
    if place.end_line:
        region |= {"endLine": place.end_line, "endColumn": place.end_column}
    return {"physicalLocation": {"artifactLocation": {"uri": uri(place.file)}, "region": region}}
