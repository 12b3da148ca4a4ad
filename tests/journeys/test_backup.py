"""The drill: everything that can be lost is lost, a backup comes back, and the tracker stands where it stood."""

import asyncio
import json
import shutil
from pathlib import Path
from typing import Any

from cardtrail.events import ChangeDecided
from cardtrail.services.cli.audit.backing_up import MANIFEST, STREAMS
from tests.journeys.test_live_commands import HOST, PDF, Desk, serves_and_pins
from tests.journeys.tracked import Tracked, tracking
from tests.services.cli.program import cardtrail

SEAL = '[seal]\nkey = "seal.key"\nevery = "1h"\n'


def test_a_tracker_comes_back_from_its_backup(tmp_path: Path) -> None:
    home, safe = tmp_path / "home", tmp_path / "safe"
    home.mkdir()
    cardtrail("seal", "--new-key", home / "seal.key")
    told = asyncio.run(lived(home, safe))
    shutil.rmtree(home / "cardtrail-data")
    done = cardtrail("restore", safe, "--json", CARDTRAIL_DATA=str(home / "cardtrail-data"))
    assert {one["stream"] for one in done.json["streams"]} == set(STREAMS), done
    asyncio.run(came_back(home, told))


async def lived(home: Path, safe: Path) -> dict[str, Any]:
    async with tracking(home, {"pricing": HOST}, SEAL) as tracked:
        desk = Desk(tracked, home)
        await serves_and_pins(desk)
        await desk.serves(version="4.0.0", skills=PDF)
        await desk.json("seal")
        before = (await tracked.facts())[-1]
        backup = await desk.json("backup", str(safe))
        facts = next(one for one in backup["streams"] if one["stream"] == "CARDTRAIL_FACTS")
        assert (facts["first"], facts["last"]) == (1, before.sequence)
        at = before.stored_at.isoformat()
        blame = await desk.json("blame", "pricing", "--as-of", at)
        show = await desk.json("show", "pricing", "--as-of", at)
        why = await desk.json("explain", "trip-planner")
        return {
            "last": before.sequence,
            "at": at,
            "blame": blame,
            "show": show,
            "why": why,
            "decided": await decided(tracked),
        }


async def came_back(home: Path, told: dict[str, Any]) -> None:
    """Same sequences, same answers; buckets and archive as the log has them; nothing decided twice."""
    async with tracking(home, {"pricing": HOST}, SEAL) as tracked:
        desk = Desk(tracked, home)
        await tracked.decided(told["last"])
        assert await desk.json("blame", "pricing", "--as-of", told["at"]) == told["blame"]
        assert await desk.json("show", "pricing", "--as-of", told["at"]) == told["show"]
        why = await desk.json("explain", str(told["why"]["sequence"]))
        assert why["reasons"] == told["why"]["reasons"]
        assert all(one["now"]["kept"] for one in why["reasons"] if one["now"])
        await tracked.reaches("projector", "duckdb", (await tracked.system.bus.info()).last)
        replayed = await desk.json("replay", "--verify")
        assert [one["same"] for one in replayed["results"]] == [True] * len(replayed["results"])
        assert replayed["derived"]["same"]
        assert (await decided(tracked))[: len(told["decided"])] == told["decided"]
        await desk.json("seal")
        sealed = await desk.json("verify-log")
        assert sealed["checked"]["alteration"] is None
        assert [head["matches"] for head in sealed["checked"]["heads"]] == [True] * len(sealed["checked"]["heads"])


async def decided(tracked: Tracked) -> list[tuple[int, str]]:
    facts = [one for one in await tracked.facts() if isinstance(one.fact.data, ChangeDecided)]
    return [(one.sequence, one.fact.id.hex) for one in facts]


def test_what_is_no_backup_is_refused_before_anything_is_touched(tmp_path: Path) -> None:
    folder = tmp_path / "safe"
    folder.mkdir()
    data = str(tmp_path / "data")
    assert cardtrail("restore", folder, "--json", CARDTRAIL_DATA=data).json["error"]["code"] == "file-unreadable"
    (folder / MANIFEST).write_text("{}")
    assert cardtrail("restore", folder, "--json", CARDTRAIL_DATA=data).json["error"]["code"] == "backup-unreadable"
    stream = {"stream": "CARDTRAIL_FACTS", "messages": 1, "first": 1, "last": 1, "size": 1, "sha256": "sha256:0"}
    held = {"format": "cardtrail.backup/1", "release": "0", "streams": [stream]}
    (folder / "CARDTRAIL_FACTS").mkdir()
    (folder / "CARDTRAIL_FACTS" / "stream.tar.s2").write_bytes(b"x")
    (folder / MANIFEST).write_text(json.dumps(held))
    done = cardtrail("restore", folder, "--json", CARDTRAIL_DATA=data)
    assert (done.code, done.json["error"]["code"]) == (3, "backup-altered")
