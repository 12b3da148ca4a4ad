"""An agent's past is told whole: also what was decided under a name that a lock or its fallback called it, gone or not."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from cardtrail.events.model.lockfile import Candidate
from cardtrail.services.bus.bus import Bus
from tests.nats_server import SMALL, server
from tests.projections.facts import compiled, decided, full, lock, pinned, profile
from tests.projections.log import Log
from tests.services.cli.program import cardtrail

PLACE = "https://fares.example/card.json"
MOVED = "https://fares.example/v2/card.json"
ODD = "HTTPS://Fares.Example:443/card.json"


def written(place: str = PLACE, *, released: bool = False, moved: bool = False) -> Log:
    """`fares` stands in for `pricing` in a lock that calls it by a place, and is judged there."""
    log = Log()
    log.say("agent-tracked", "pricing", target={"kind": "domain", "value": "p.example"})
    log.say("agent-tracked", "fares", target={"kind": "card-url", "value": MOVED if moved else PLACE})
    pinned(log, lock(Candidate(agent=place)))
    brought = compiled(log, full(log, "a", "fares", location=PLACE), profile(), "fares").fact.id
    told = decided(log, "breaking", "stop", "skill-removed", agent=place, watched="fares")
    log.facts[-1] = told.model_copy(update={"fact": told.fact.model_copy(update={"causation": brought})})
    if moved:
        full(log, "b", "fares", location=MOVED)
    if released:
        log.say("lockfile-released", "pricing", workflow="trip")
    return log


def asked(url: str, folder: Path, log: Log, *words: str) -> Any:
    async def told() -> None:
        async with Bus(url, streams=SMALL) as bus:
            for stored in log.facts:
                await bus.tell([stored.fact])

    asyncio.run(told())
    done = cardtrail(*words, "--json", cwd=folder, NATS_URL=url, CARDTRAIL_DATA=str(folder))
    assert done.code == 0, done
    return done.json


@pytest.fixture(params=["in force", "spelled otherwise", "released", "moved"])
def log(request: pytest.FixtureRequest) -> Log:
    place = ODD if request.param == "spelled otherwise" else PLACE
    return written(place, released=request.param == "released", moved=request.param == "moved")


def test_history_tells_what_was_decided_about_a_stand_in_under_its_place(tmp_path: Path, log: Log) -> None:
    with server() as running:
        entries = asked(running.url, tmp_path, log, "history", "fares")["entries"]
    kinds = [fact["fact"]["data"]["verdict"] for one in entries for fact in one["facts"] if _decides(fact)]
    assert kinds == ["breaking"]


def test_blame_and_export_read_the_same_facts(tmp_path: Path) -> None:
    with server() as running:
        (value,) = asked(running.url, tmp_path, written(released=True), "blame", "fares", "skills.quote.input")[
            "values"
        ]
        asked(running.url, tmp_path, Log(), "export", "--agent", "fares", "-o", "fares")
    assert [one["verdict"] for one in value["brought"]] == ["breaking"]
    scope = json.loads((tmp_path / "fares" / "manifest.json").read_text("utf-8"))["scope"]
    assert scope["agents"] == ["fares", PLACE]


def _decides(fact: dict[str, Any]) -> bool:
    return bool(fact["fact"]["type"].endswith("change-decided.v1"))
