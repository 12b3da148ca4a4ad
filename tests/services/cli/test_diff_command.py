"""`diff` shows what came with a change beside the verdict: what `lint` says of the new card and did not say of the old one."""

import json
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

from tests.services.cli.cards import card, skill, written
from tests.services.cli.program import Done, cardtrail

NEWS: list[tuple[dict[str, Any], dict[str, Any], list[str]]] = [
    ({}, {"capabilities": {"streaming": "true"}}, ["CT015"]),
    ({}, {"skills": [skill(tags="travel")]}, ["CT012"]),
    ({}, {"skills": [skill(), "bare"]}, ["CT013"]),
    ({}, {"version": 3}, ["CT012"]),
    ({}, {"defaultInputModes": "text/plain"}, ["CT012"]),
    ({}, {"colour": "red"}, ["CT005"]),
    ({"capabilities": {"streaming": "true"}}, {"capabilities": {"streaming": "true"}}, []),
    ({"skills": [skill(id="a"), skill(tags="x")]}, {"skills": [skill(tags="x"), skill(id="a")]}, []),
    ({"capabilities": {"streaming": "true"}}, {}, []),
    ({"skills": [skill(tags="x")]}, {"skills": [skill(tags="x"), skill(id="b", tags="x")]}, ["CT012"]),
]


def compared(here: Path, old: dict[str, Any], new: dict[str, Any], *options: str) -> Done:
    written(here / "old.json", card(**old))
    written(here / "new.json", card(**new))
    return cardtrail("diff", "old.json", "new.json", *options, cwd=here)


@pytest.mark.parametrize(("old", "new", "codes"), NEWS)
def test_what_lint_says_of_the_new_card_alone_is_told(
    tmp_path: Path, old: dict[str, Any], new: dict[str, Any], codes: list[str]
) -> None:
    done = compared(tmp_path, old, new, "--json").json
    assert [one["code"] for one in done["lint"]] == codes
    assert not {one["rule"] for one in done["findings"]} & set(codes)


@pytest.mark.parametrize("form", ["text", "markdown", "junit", "sarif", "github", "gitlab"])
def test_every_format_tells_it_and_no_gate_counts_it(tmp_path: Path, form: str) -> None:
    done = compared(tmp_path, {}, {"capabilities": {"streaming": "true"}}, "--format", form, "--fail-on", "review")
    assert done.code == 0
    assert "CT015" in done.out
    if form == "junit":
        assert ET.fromstring(done.out).get("failures") == "0"  # noqa: S314 — our own output
    if form == "sarif":
        result = json.loads(done.out)["runs"][0]["results"][0]
        assert (result["ruleId"], result["level"]) == ("CT015", "note")
        assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "new.json"


def test_the_verdict_is_the_first_word_and_the_counts_are_the_last_line(tmp_path: Path) -> None:
    done = compared(tmp_path, {}, {"capabilities": {"streaming": "no"}})
    lines = done.out.splitlines()
    assert lines[0] == "✗ breaking  Pricing  new.json"
    assert lines[-2].startswith("lint error CT015  new.json:")
    assert lines[-1] == "1 breaking, 0 review, 0 notes. 1 new in lint."


def test_of_several_cards_each_line_of_lint_names_its_file(tmp_path: Path) -> None:
    for name in ("a.json", "b.json"):
        written(tmp_path / name, card())
    assert cardtrail("lint", "a.json", "b.json", cwd=tmp_path).out.splitlines() == [
        "a.json: shape 1.0: 0 errors, 0 warnings.",
        "b.json: shape 1.0: 0 errors, 0 warnings.",
    ]
