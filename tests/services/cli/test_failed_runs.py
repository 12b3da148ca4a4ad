"""A run that fails writes what it was asked for: the next step of a pipeline finds its file, and reads why."""

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from jsonschema import Draft202012Validator

from cardtrail.services.cli.catalogue.schemas import schemas
from cardtrail.services.cli.formats import FORMATS
from tests.services.cli.cards import card, lock, skill, written
from tests.services.cli.program import cardtrail

AWAY = ("check", "trip.lock.json", "https://127.0.0.1:1/card.json", "--network", "127.0.0.0/8")
MISSING = ("check", "trip.lock.json", "missing.json")
BROKEN = ("lint", "broken.json")
AWAY_FROM_DIFF = ("diff", "card.json", *AWAY[2:])
NO_SETTINGS = ("diff", "card.json", "card.json", "--config", "none.toml")
CASES = [
    (AWAY, 4, "agent-unreachable", "trip.lock.json"),
    (AWAY_FROM_DIFF, 4, "agent-unreachable", "card.json"),
    (MISSING, 2, "file-unreadable", "missing.json"),
    (BROKEN, 3, "json-syntax", "broken.json"),
    (("lint", "card.json", "missing.json", "card.json"), 2, "file-unreadable", "missing.json"),
    (("lint", "missing.json", "broken.json"), 3, "file-unreadable", "missing.json"),
    (NO_SETTINGS, 2, "config-unreadable", "card.json"),
]


@pytest.fixture
def here(tmp_path: Path) -> Path:
    written(tmp_path / "card.json", card())
    written(tmp_path / "next.json", card(skills=[skill(id="other")]))
    written(tmp_path / "broken.json", '{"name": }')
    written(tmp_path / "trip.lock.json", lock())
    return tmp_path


@pytest.mark.parametrize(("words", "exit_code", "code", "file"), CASES)
def test_every_report_that_was_asked_for_is_written_with_the_error(
    here: Path, words: tuple[str, ...], exit_code: int, code: str, file: str
) -> None:
    outs = [f"--out={name}=r.{name}" for name in FORMATS]
    done = cardtrail(*words, *outs, cwd=here)
    assert (done.code, done.err.split("]")[0]) == (exit_code, f"error[{code}")
    told = {name: (here / f"r.{name}").read_text("utf-8") for name in FORMATS}
    (invocation,) = json.loads(told["sarif"])["runs"][0]["invocations"]
    notice = invocation["toolExecutionNotifications"][0]
    assert (invocation["executionSuccessful"], notice["descriptor"]["id"]) == (False, code)
    assert notice["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == file
    assert [error.get("type") for error in ET.fromstring(told["junit"]).iter("error")][0] == code  # noqa: S314, RUF015 — our own output
    assert told["github"].startswith(f"::error file={file},line=1,")
    entry = json.loads(told["gitlab"])[0]
    assert (entry["severity"], entry["check_name"], entry["location"]["path"]) == ("blocker", code, file)
    assert f"`{code}`" in told["markdown"]
    assert done.err.splitlines()[0] in told["junit"]
    assert code in told["text"]
    assert code in {error["code"] for error in errors(json.loads(told["json"]))}


def errors(document: dict[str, Any]) -> list[dict[str, Any]]:
    return [one["error"] for one in document.get("results", [document]) if one["error"]]


def test_an_agent_that_does_not_answer_is_named_in_each_of_them(here: Path) -> None:
    cardtrail(*AWAY, *(f"--out={name}=r.{name}" for name in FORMATS), cwd=here)
    for name in FORMATS:
        assert "https://127.0.0.1:1/card.json" in (here / f"r.{name}").read_text("utf-8").replace("%3A", ":")


@pytest.mark.parametrize("name", sorted(FORMATS.keys() - {"text", "json"}))
def test_stdout_gets_it_too(here: Path, name: str) -> None:
    done = cardtrail(*MISSING, "--format", name, cwd=here)
    assert (done.code, done.err.split()[0]) == (2, "error[file-unreadable]")
    assert "file-unreadable" in done.out


@pytest.mark.parametrize("environ", [{}, {"CARDTRAIL_FORMAT": "json"}])
def test_json_on_stdout_is_the_one_error_object(here: Path, environ: dict[str, str]) -> None:
    words = () if environ else ("--format", "json")
    done = cardtrail(*MISSING, *words, cwd=here, **environ)
    assert (done.json["error"]["code"], done.err) == ("file-unreadable", "")


SOME = ("check", "trip.lock.json", "card.json", AWAY[2], "missing.json", "next.json", *AWAY[3:])


def test_a_card_that_cannot_be_had_keeps_no_other_from_being_judged(here: Path) -> None:
    done = cardtrail(*SOME, *(f"--out={name}=r.{name}" for name in FORMATS), cwd=here)
    told = {name: (here / f"r.{name}").read_text("utf-8") for name in FORMATS}
    assert done.code == 4
    assert [line for line in done.err.splitlines() if line.startswith("error[")] == [
        f"error[agent-unreachable] {AWAY[2]}: connect-refused: nothing listens there",
        "error[file-unreadable] missing.json: no such file or directory",
    ]
    for text in told.values():
        assert all(word in text for word in ("agent-unreachable", "file-unreadable", "skill-removed"))
        assert AWAY[2] in text.replace("%3A", ":")
    suites = ET.fromstring(told["junit"]).findall("testsuite")  # noqa: S314 — our own output
    assert [(suite.get("errors"), suite.get("failures")) for suite in suites] == [
        *(("0", "0"), ("1", "0"), ("1", "0"), ("0", "1"))
    ]
    (run,) = json.loads(told["sarif"])["runs"]
    assert run["automationDetails"]["id"] == "cardtrail/trip-planner/"
    assert not run["invocations"][0]["executionSuccessful"]
    assert [entry["severity"] for entry in json.loads(told["gitlab"])][:3] == ["blocker", "blocker", "critical"]
    assert told["github"].count("::error ") == 3
    headings = [line.split(": ")[0] for line in told["markdown"].splitlines() if line.startswith("##")]
    assert headings == ["## ✅ compatible", "## ❓ unknown", "## ❓ unknown", "## ❌ breaking"]


def test_what_is_unknown_of_several_cards_may_break_and_is_no_verdict(here: Path) -> None:
    document = cardtrail(*SOME, "--json", cwd=here).json
    Draft202012Validator(schemas()["check"]()).validate(document)
    assert document["verdict"] == "breaking"
    assert [one["verdict"] for one in document["results"]] == ["compatible", "unknown", "unknown", "breaking"]
    assert [one["error"] and one["error"]["exit"] for one in document["results"]] == [None, 4, 2, None]
    fine = cardtrail("check", "trip.lock.json", "card.json", "missing.json", "--json", cwd=here)
    assert (fine.code, fine.json["verdict"]) == (2, "unknown")


def test_keys_that_cannot_be_had_keep_no_unsigned_card_from_being_judged(here: Path) -> None:
    signed = {"protected": "eyJhbGciOiJFUzI1NiIsImtpZCI6ImEifQ", "signature": "AA"}
    written(here / "signed.json", card(signatures=[signed]))
    words = ("check", "trip.lock.json", "card.json", "signed.json", "--keys", "none.jwks")
    document = cardtrail(*words, "--json", cwd=here).json
    assert [one["verdict"] for one in document["results"]] == ["compatible", "unknown"]
    assert document["results"][1]["error"]["file"] == "none.jwks"


def test_of_several_cards_the_others_are_read(here: Path) -> None:
    done = cardtrail("lint", "card.json", "missing.json", "card.json", "--json", cwd=here)
    assert [one["usable"] for one in done.json["results"]] == [True, False, True]
    assert [one["shape"] for one in done.json["results"]] == ["1.0", "unknown", "1.0"]
    Draft202012Validator(schemas()["lint"]()).validate(done.json)
    assert done.json["results"][1]["error"]["exit"] == done.code == 2


def test_a_failed_run_closes_no_alert_of_the_workflow(here: Path) -> None:
    for words, id_ in ((("card.json",), "trip-planner"), (("missing.json",), "check")):
        cardtrail("check", "trip.lock.json", *words, "--out", "sarif=a.sarif", cwd=here)
        (run,) = json.loads((here / "a.sarif").read_text())["runs"]
        assert run["automationDetails"]["id"] == f"cardtrail/{id_}/"


def test_a_file_that_cannot_be_written_keeps_no_other_from_being(here: Path) -> None:
    (here / "folder").mkdir()
    done = cardtrail("check", "trip.lock.json", "card.json", "--out=sarif=folder", "--out=junit=b.xml", cwd=here)
    assert (done.code, done.err.split()[0], (here / "b.xml").exists()) == (2, "error[output-unwritable]", True)
    assert done.out.startswith("✓ compatible")


def test_what_is_refused_before_the_arguments_are_understood_writes_nothing(here: Path) -> None:
    assert cardtrail(*MISSING, "--out", "sarif=a", "--level", "loud", cwd=here).code == 2
    assert not (here / "a").exists()


@pytest.mark.parametrize(
    "words",
    [
        ("check", "trip.lock.json", "card.json", "--out", "sarif=-"),
        ("pin", "card.json", "--workflow", "w", "--everything", "-o", "-"),
    ],
)
def test_a_dash_is_no_file(here: Path, words: tuple[str, ...]) -> None:
    done = cardtrail(*words, cwd=here)
    assert done.code == 2
    assert "- is stdout" in done.err
    assert not (here / "-").exists()
