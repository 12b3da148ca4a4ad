"""Small cards that would grow without bound, cards at the limit of what is read, and locks of them: answered in plain words."""

import json
from pathlib import Path
from typing import Any

import pytest

from cardtrail.services.card.compile import HEAVIEST
from cardtrail.services.verdict.lock import LOCK_LIMITS
from tests.services.cli.cards import card, lock, skill, written
from tests.services.cli.program import cardtrail

MANY = 9_000


def alike(prefix: str, count: int = MANY) -> list[str]:
    return [f"{prefix}/{number}" for number in range(count)]


def keys(prefix: str, header: str) -> dict[str, Any]:
    names = [f"{prefix}{number}" for number in range(500)]
    scheme = {"apiKeySecurityScheme": {"location": "header", "name": header}}
    return {
        "securitySchemes": dict.fromkeys(names, scheme),
        "securityRequirements": [{"schemes": {name: {"list": []}}} for name in names],
    }


LARGE: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "all modes": ({"skills": [skill(inputModes=alike("a"))]}, {"skills": [skill(inputModes=alike("b"))]}, "breaking"),
    "modes to words": (
        {"skills": [skill(inputModes=alike("a"))]},
        {"skills": [skill(inputModes=[mode.replace("a/", "b") for mode in alike("a")])]},
        "breaking",
    ),
    "all skills": (
        {"skills": [{"id": f"alpha-{number}"} for number in range(2_000)]},
        {"skills": [{"id": f"alphb-{number}"} for number in range(2_000)]},
        "breaking",
    ),
    "one id": (
        {"skills": [skill()]},
        {"skills": [skill(), *({"id": "itinerary-pricing", "inputModes": [mode]} for mode in alike("a", 4_000))]},
        "review",
    ),
    "all names of schemes": (keys("s", "X"), keys("t", "X"), "compatible"),
    "all schemes": (keys("s", "X"), keys("s", "Y"), "review"),
}


@pytest.mark.parametrize("case", LARGE)
def test_a_card_that_changed_all_over_is_judged_and_its_lock_can_be_read(case: str, tmp_path: Path) -> None:
    before, after, verdict = LARGE[case]
    old, new = written(tmp_path / "old.json", card(**before)), written(tmp_path / "new.json", card(**after))
    for file in (old, new):
        file.write_text(json.dumps(json.loads(file.read_text()), separators=(",", ":")))
    assert cardtrail("diff", old, new, "--json").json["verdict"] == verdict
    assert cardtrail("pin", old, "--workflow", "w", "--everything", "-o", tmp_path / "w.lock.json").code == 0
    assert cardtrail("check", tmp_path / "w.lock.json", old, "--json").json["verdict"] == "compatible"
    assert cardtrail("check", tmp_path / "w.lock.json", new, "--json").json["verdict"] == verdict
    assert cardtrail("pin", new, "--update", tmp_path / "w.lock.json").code == int(verdict == "breaking")


def test_defaults_that_thousands_of_skills_share_make_no_profile_that_nobody_can_keep(tmp_path: Path) -> None:
    modes = alike("a", 8_000)
    skills = [{"id": str(number)} for number in range(1_900)]
    file = written(tmp_path / "c.json", card(defaultInputModes=modes, defaultOutputModes=modes, skills=skills))
    file.write_text(json.dumps(json.loads(file.read_text()), separators=(",", ":")))
    found = cardtrail("compile", file, "--json").json
    assert (found["usable"], [one["code"] for one in found["reasons"]]) == (False, ["profile-too-large"])
    assert found["skills"] == {}
    held = written(tmp_path / "l.json", lock())
    assert cardtrail("check", held, file, "--json").json["findings"][0]["rule"] == "profile-unusable"
    refused = cardtrail("pin", file, "--workflow", "w", "--everything")
    assert (refused.code, refused.err.count("\n")) == (3, 2)


def test_what_all_modes_may_take_is_counted_by_skill(tmp_path: Path) -> None:
    one = "a/" + "m" * 1_000
    fits = HEAVIEST // (len(one) + 3) - 1
    for count, usable in ((fits, True), (fits + 2, False)):
        skills = [{"id": str(number), "inputModes": [one], "outputModes": []} for number in range(count)]
        file = written(tmp_path / "c.json", card(skills=skills, defaultOutputModes=[]))
        assert cardtrail("compile", file, "--json").json["usable"] is usable


def test_a_lock_is_read_up_to_its_own_limit(tmp_path: Path) -> None:
    file = written(tmp_path / "l.json", json.dumps(lock()) + " " * (LOCK_LIMITS.size - len(json.dumps(lock()))))
    assert cardtrail("check", file, written(tmp_path / "c.json", card())).code == 0
    file.write_text(file.read_text() + " ")
    refused = cardtrail("check", file, tmp_path / "c.json", "--json").json["error"]
    assert (refused["code"], refused["message"]) == ("too-large", f"more than {LOCK_LIMITS.size} bytes")


@pytest.mark.parametrize(
    ("data", "code", "said"),
    [
        (b"\x1f\x8b\x08\x00\x00", "encoding", "gzip-compressed"),
        (b"PK\x03\x04\x14\x00", "encoding", "a zip archive"),
        (b"%PDF-1.7", "encoding", "a PDF document"),
        (b"{\x00}\x00", "encoding", "UTF-16"),
        (b"<!doctype html><p>x", "json-syntax", "an HTML page"),
    ],
)
def test_another_kind_of_file_is_called_what_it_is(data: bytes, code: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(data)
    of_lock = cardtrail("check", tmp_path / "f", written(tmp_path / "c.json", card()), "--json").json["error"]
    assert of_lock["code"] == code
    of_card = cardtrail("lint", tmp_path / "f", "--json").json["error"]
    assert of_card["code"] == ("card-unreadable" if code == "json-syntax" else code)
    assert said in of_card["message"]
    assert said in of_lock["message"]
