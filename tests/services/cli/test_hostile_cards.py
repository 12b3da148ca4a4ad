"""What a card says reaches no terminal, no log and no runner as anything but visible text."""

import os
import re
from pathlib import Path

import pytest

from cardtrail.services.cli.catalogue.error_codes import ERRORS
from tests.services.cli.cards import ACTIVE, HOSTILE, card, lock, skill, written
from tests.services.cli.program import Done, cardtrail

COMMANDS = (
    ("lint", "card.json", "--level", "info"),
    ("lint", "not-a-card.json"),
    ("compile", "card.json"),
    ("compile", "unusable.json"),
    ("verify", "card.json"),
    ("diff", "card.json", "new.json"),
    ("check", "trip.lock.json", "card.json", "--level", "note"),
    ("check", "trip.lock.json", "not-a-card.json"),
    ("check", "bad.lock.json", "card.json"),
    ("pin", "card.json", "--workflow", HOSTILE, "--everything"),
    ("pin", "card.json", "--workflow", "w", "--skill", HOSTILE),
    ("pin", "card.json", "--update", "trip.lock.json"),
    ("rules", HOSTILE),
    ("lint", HOSTILE.replace("\x00", "")),
    (HOSTILE,),
)


@pytest.fixture
def here(tmp_path: Path) -> Path:
    interface = {
        "url": f"https://x.example/{HOSTILE}",
        "protocolBinding": f"JSONRPC{HOSTILE}",
        "protocolVersion": HOSTILE,
    }
    good = card()["supportedInterfaces"]
    hostile = card(
        name=HOSTILE,
        description=HOSTILE,
        version=HOSTILE,
        provider={"organization": HOSTILE, "url": HOSTILE},
        supportedInterfaces=[*good, interface],
        defaultInputModes=[HOSTILE],
        skills=[skill(id=HOSTILE, name=HOSTILE, tags=[HOSTILE], inputModes=[HOSTILE]), skill(tags=[HOSTILE])],
        securitySchemes={HOSTILE: {"apiKeySecurityScheme": {"name": HOSTILE, "location": HOSTILE}}},
        securityRequirements=[{"schemes": {HOSTILE: {"list": [HOSTILE]}}}],
        signatures=[{"protected": HOSTILE, "signature": HOSTILE}],
    )
    hostile[HOSTILE] = HOSTILE
    written(tmp_path / "card.json", hostile)
    written(tmp_path / "new.json", card(name=f"{HOSTILE}2", skills=[skill(id=f"{HOSTILE}2")]))
    written(tmp_path / "unusable.json", card(supportedInterfaces=[interface]))
    written(tmp_path / "not-a-card.json", {HOSTILE: HOSTILE})
    needs = {
        "skills": {HOSTILE: {"input": [HOSTILE], "output": [], "scopes": []}},
        "streaming": True,
        "extensions": [HOSTILE],
    }
    written(tmp_path / "trip.lock.json", lock(agent=HOSTILE, agent_version=HOSTILE, requires=needs))
    written(tmp_path / "bad.lock.json", lock(**{HOSTILE: HOSTILE}))
    return tmp_path


@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda words: words[0][:8])
@pytest.mark.parametrize("json", [False, True])
def test_no_command_lets_card_text_act(here: Path, arguments: tuple[str, ...], *, json: bool) -> None:
    done = cardtrail(*arguments, *(["--json"] if json else []), cwd=here, GITHUB_ACTIONS="true")
    assert "internal-error" not in done.out + done.err
    for stream in (done.out, done.err):
        assert [character for character in ACTIVE if character in stream] == []
        assert all(character.isprintable() or character == "\n" for character in stream)
        assert "##[" not in stream
        assert not any(line.lstrip().startswith("::") for line in stream.splitlines())
    assert not json or (done.json and done.err == "")


def test_card_text_never_becomes_a_second_annotation(here: Path) -> None:
    done = cardtrail("check", "trip.lock.json", "card.json", "--format", "github", cwd=here, GITHUB_ACTIONS="true")
    lines = done.out.splitlines()
    assert lines
    assert all(re.match(r"::(error|warning|notice) file=trip\.lock\.json,line=\d+", line) for line in lines)
    assert "owned" in done.out


SHARED = os.environ.get("CARDTRAIL_SHARED")


@pytest.mark.skipif(SHARED is None, reason="CARDTRAIL_SHARED names no folder with real cards")
def test_every_real_card_gives_an_answer_and_no_defect(tmp_path: Path) -> None:
    for file in sorted((Path(SHARED or "") / "corpus" / "cards").glob("*.json")):
        for done in answers(file, tmp_path / "w.lock.json"):
            assert done.code in {0, 3}, (file.name, done)
            assert done.code == 0 or done.json["error"]["code"] in ERRORS, (file.name, done)


def answers(file: Path, lockfile: Path) -> list[Done]:
    lockfile.unlink(missing_ok=True)
    pinned = cardtrail("pin", file, "--workflow", "w", "--everything", "-o", lockfile, "--json")
    found = [cardtrail("lint", file, "--json"), cardtrail("compile", file, "--json"), pinned]
    return [*found, cardtrail("check", lockfile, file, "--json")] if lockfile.exists() else found
