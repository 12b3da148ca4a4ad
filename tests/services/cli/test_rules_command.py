"""Whatever code an output shows, `cardtrail rules CODE` explains in words."""

import ast
import re
from pathlib import Path
from typing import Any

import pytest

from cardtrail.services.card import catalogue, unusable
from cardtrail.services.card.catalogue import DIAGNOSTICS
from cardtrail.services.card.signature_reasons import REASONS
from cardtrail.services.card.unusable import UNUSABLE
from cardtrail.services.cli.catalogue.reasons import REASONS as ALIKE
from cardtrail.services.fetcher.findings import FETCH_FINDINGS
from cardtrail.services.verdict.lock_catalogue import DOUBTS
from tests.services.cli.cards import card, lock, written
from tests.services.cli.program import cardtrail

ROOMS = Path(str(catalogue.__file__)).parents[1]
EVERY = sorted(DIAGNOSTICS | FETCH_FINDINGS | DOUBTS)


def reason_codes() -> set[str]:
    """Every literal code of a reason against a profile, in the source."""
    calls = (
        node
        for file in (*ROOMS.glob("card/*.py"), *ROOMS.glob("compiler/*.py"))
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Reason"
    )
    values = (keyword.value for call in calls for keyword in call.keywords if keyword.arg == "code")
    return {str(value.value) for value in values if isinstance(value, ast.Constant)}


def test_every_reason_against_a_profile_is_explained() -> None:
    assert reason_codes() == set(UNUSABLE)
    assert unusable.__doc__


@pytest.mark.parametrize("code", [*UNUSABLE, *REASONS, "token-host-untrusted", "connect-timeout", "allow-degraded"])
def test_a_reason_is_found_by_its_code(code: str) -> None:
    done = cardtrail("rules", code)
    assert done.code == 0
    assert "hint: " in done.out or "exit " in done.out


def test_the_reasons_are_listed_and_published() -> None:
    listed = cardtrail("rules", "--reasons", "--json").json["reasons"]
    assert {one["code"] for one in listed} == {
        *UNUSABLE,
        *REASONS,
        *(code for codes in ALIKE.values() for code in codes),
    }
    assert len(cardtrail("rules", "--reasons").out.splitlines()) == len(listed) + 1


@pytest.mark.parametrize("code", EVERY)
def test_a_diagnostic_is_shown_by_an_example_in_words(code: str) -> None:
    said = cardtrail("rules", code).out
    example = next(line for line in said.splitlines() if line.startswith("example: "))
    assert re.search(r"\{\w*\}|…\s|…$|\$\{", said.replace("{}", "")) is None, said
    assert len(example) > len("example: ") + 8


def test_every_oddity_of_a_lock_is_catalogued() -> None:
    source = "".join(file.read_text("utf-8") for file in ROOMS.glob("verdict/lock_doubts.py"))
    assert dict(re.findall(r'"(CL\d{3})",\s*"([a-z-]+)"', source)) == {one.code: one.name for one in DOUBTS.values()}


@pytest.mark.parametrize(
    ("member", "path"),
    [
        ({"agent": " "}, "$.agent"),
        ({"pinned_at": "yesterday"}, "$.pinned_at"),
        ({"pinned_at": "2026-10-02T08:30:00"}, "$.pinned_at"),
        ({"interface": {"binding": "jsonrpc", "version": "1.0"}}, "$.interface.binding"),
        ({"interface": {"binding": "JSONRPC", "version": "v1"}}, "$.interface.version"),
        ({"requires": {"skills": {"": {}}}}, "$.requires.skills['']"),
        (
            {"requires": {"skills": {"itinerary-pricing": {"input": ["text/plain", " "]}}}},
            "$.requires.skills['itinerary-pricing'].input",
        ),
        ({"allowed_hosts": ["partner.example", "*"]}, "$.allowed_hosts[1]"),
        ({"allowed_hosts": ["https://partner.example"]}, "$.allowed_hosts[0]"),
    ],
)
def test_what_no_card_can_meet_as_it_is_written_is_told_at_its_place(
    tmp_path: Path, member: dict[str, Any], path: str
) -> None:
    held = written(tmp_path / "l.json", lock(**member))
    done = cardtrail("check", held, written(tmp_path / "c.json", card()))
    assert re.search(rf"warning CL005 \S+l\.json:\d+:\d+ {re.escape(path)}: ", done.err), done.err


def test_a_lock_that_is_as_it_should_be_has_no_such_doubt(tmp_path: Path) -> None:
    hosts = ["partner.example", "*.Partner.example", "xn--mnchen-3ya.example", "10.0.0.7"]
    held = written(
        tmp_path / "l.json", lock(allowed_hosts=hosts, pinned_at="2026-10-02T08:30:00Z", evidence_max_age_s=0)
    )
    assert "CL005" not in cardtrail("check", held, written(tmp_path / "c.json", card())).err


def test_a_card_without_a_version_says_in_lint_and_compile_why_nobody_calls_it(tmp_path: Path) -> None:
    old = card(url="https://pricing.partner.example/a2a", supportedInterfaces=None)
    file = written(tmp_path / "old.json", {name: value for name, value in old.items() if value is not None})
    assert [one["code"] for one in cardtrail("lint", file, "--json").json["findings"]] == ["CT032", "CT080"]
    compiled = cardtrail("compile", file)
    assert compiled.code == 0
    assert "offers JSONRPC without a version; the client takes JSONRPC 1.0, JSONRPC 0.3" in compiled.out
    assert "missing_version_matches = true" in compiled.out
    refused = cardtrail("pin", file, "--workflow", "w", "--everything")
    assert refused.code == 3
    assert "missing_version_matches = true" in refused.err


def test_an_interface_without_a_version_is_told_once_and_not_twice(tmp_path: Path) -> None:
    file = written(
        tmp_path / "c.json", card(supportedInterfaces=[{"url": "https://a.example", "protocolBinding": "GRPC"}])
    )
    assert [one["code"] for one in cardtrail("lint", file, "--json").json["findings"]] == ["CT010"]
