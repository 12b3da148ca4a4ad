"""An analyst's questions to a tracker at work, to one that has stopped, and to one whose store was damaged."""

import asyncio
import csv
import io
import json
import os
import signal
from contextlib import suppress
from pathlib import Path
from typing import Any

import duckdb
from jsonschema import Draft202012Validator

from cardtrail.events.errors import Unreachable
from cardtrail.services.archive import DIGEST, home
from cardtrail.services.bus.questions import ask_patiently
from cardtrail.services.cli.catalogue.schemas import schemas
from tests.journeys.tracked import Tracked, tracking
from tests.services.cli.cards import card, lock, skill, written
from tests.services.cli.program import Done, cardtrail

HOST = "pricing.partner.example"
ENDPOINT = {"url": f"https://{HOST}/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}


class Desk:
    """A shell in the analyst's folder; `url` is where the broker was."""

    def __init__(self, folder: Path) -> None:
        self._config = {"CARDTRAIL_CONFIG": str(folder / "cardtrail.toml"), "CARDTRAIL_DATA": ""}
        self.folder, self.url = folder, "nats://127.0.0.1:1"
        (folder / "cardtrail.toml").touch()

    async def say(self, *words: str, code: int = 0) -> Done:
        done = await asyncio.to_thread(cardtrail, *words, cwd=self.folder, NATS_URL=self.url, **self._config)
        assert done.code == code, done
        return done

    async def rows(self, *words: str) -> list[dict[str, Any]]:
        """The rows of a query; the document is what its published schema says."""
        document = (await self.say("sql", *words, "--json")).json
        Draft202012Validator(schemas()["sql"]()).validate(document)
        return list(document["rows"])


def test_sql_answers_while_the_tracker_works_and_when_it_has_stopped(tmp_path: Path) -> None:
    asyncio.run(questions(tmp_path))


async def questions(folder: Path) -> None:
    desk = Desk(folder)
    await desk.say("sql", "FROM agents", code=4)
    async with tracking(folder, {"pricing": HOST}) as tracked:
        desk.url = tracked.system.url
        for version in ("3.2.0", "4.0.0"):
            await serves(tracked, version)
        before = await at_work(desk, tracked)
        told = await a_break_is_reported(desk, tracked)
    desk.url = "nats://127.0.0.1:1"
    assert (await desk.rows(CHANGES))[: len(before)] == before
    done = await desk.say("sql", "SELECT count(*) AS n FROM history")
    assert "this is what lies on disk" in done.err
    assert int(done.out.split()[-1]) >= before[0]["sequence"]
    words = told["command"].removeprefix("cardtrail ").replace("report.html", "again.html").split()
    assert (await desk.say(*words, "--json")).json == told
    assert (folder / "again.html").read_bytes() == (folder / "report.html").read_bytes()


CHANGES = "SELECT sequence, agent, version_before, version, moved_profile FROM changes ORDER BY sequence"


async def at_work(desk: Desk, tracked: Tracked) -> list[dict[str, Any]]:
    await settled(tracked)
    (agent,) = await desk.rows("SELECT agent, provider, version, host FROM agents")
    assert agent == {"agent": "pricing", "provider": "partner.example", "version": "4.0.0", "host": HOST}
    changes = await desk.rows(CHANGES)
    assert [(one["version_before"], one["version"], one["moved_profile"]) for one in changes] == [
        ("3.2.0", "4.0.0", False)
    ]
    piped = await desk.say("sql", "FROM observations ORDER BY sequence", "--format", "csv")
    listed = list(csv.DictReader(io.StringIO(piped.out)))
    looks = await desk.rows("SELECT sequence, ok FROM observations ORDER BY sequence")
    assert [(int(row["sequence"]), row["ok"] == "true") for row in listed] == [
        (one["sequence"], one["ok"]) for one in looks
    ]
    await desk.say("sql", "FROM history", "--format", "parquet", "-o", "out/history.parquet")
    (facts,) = await desk.rows("SELECT count(*) AS n FROM history")
    assert duckdb.read_parquet(str(desk.folder / "out/history.parquet")).shape[0] == facts["n"]
    refused = await desk.say("sql", "SELECT * FROM read_text('cardtrail.toml')", "--json", code=3)
    assert refused.json["error"]["code"] == "query-refused"
    return changes


async def a_break_is_reported(desk: Desk, tracked: Tracked) -> dict[str, Any]:
    """The card loses what a workflow needs, with a new version on the same card, and has it again: a review."""
    file = str(written(desk.folder / "trip.lock.json", lock(agent=tracked.host.url(host=HOST))))
    await desk.say("track", "--lock", file)
    await serves(tracked, "4.0.0")
    await serves(tracked, "5.0.0", skills=[skill(outputModes=["application/pdf"])])
    await serves(tracked, "4.0.0")
    await settled(tracked)
    told: dict[str, Any] = (await desk.say("report", "-o", "report.html", "--json")).json
    Draft202012Validator(schemas()["report"]()).validate(told)
    (provider,) = told["providers"]
    assert (provider["provider"], provider["agents"], provider["breaks"]["count"]) == ("partner.example", 1, 1)
    (broken,) = told["notices"]
    assert (broken["notice"], broken["sign"], broken["workflows"]) == ("before", "version", ["trip-planner"])
    assert broken["rules"] == ["output-modes-disjoint"]
    (mended,) = told["recovery"]
    assert (mended["breaks"], mended["standing"]) == (1, 0)
    (cost,) = told["cost"]
    assert cost["stops"] == 1
    (change,) = told["changes"]
    assert change["changes"]["count"] == 2
    assert [trail["agent"] for trail in told["trails"]] == ["pricing"]
    (standing,) = told["locks"]
    assert (standing["agent"], standing["workflow"], standing["verdict"]) == ("pricing", "trip-planner", "review")
    return told


def test_a_damaged_store_is_set_aside_and_grows_again_from_the_log_while_the_tracker_works(tmp_path: Path) -> None:
    asyncio.run(damage(tmp_path))


async def damage(folder: Path) -> None:
    desk = Desk(folder)
    async with tracking(folder, {"pricing": HOST}) as tracked:
        desk.url = tracked.system.url
        for version in ("3.2.0", "4.0.0"):
            await serves(tracked, version)
        last = await settled(tracked)
        before = await digest(tracked, last)
        store = home(folder / "cardtrail-data")
        projector = tracked.system.children.pid("projector")
        os.kill(projector, signal.SIGSTOP)
        (file,) = store.glob("generation-*.duckdb")
        file.write_bytes(b"\x00noise" * 50_000)
        with suppress(FileNotFoundError):
            file.with_name(file.name + ".wal").write_bytes(b"noise" * 100)
        os.kill(projector, signal.SIGKILL)
        assert await digest(tracked, last) == before
        assert (store / "quarantine" / file.name).exists()
        assert (store / "quarantine" / f"{file.name}.reason").read_text().strip()
        (facts,) = await desk.rows("SELECT count(*) AS n, max(sequence) AS through FROM history")
        assert facts["through"] == before[0]


async def serves(tracked: Tracked, version: str, **changes: Any) -> None:
    tracked.publish(HOST, json.dumps(card(supportedInterfaces=[ENDPOINT], version=version, **changes)).encode())
    await tracked.look("pricing")


async def settled(tracked: Tracked) -> int:
    """The end of the log, once the archive has it."""
    last = (await tracked.system.bus.info()).last
    await tracked.reaches("projector", "duckdb", last)
    return last


async def digest(tracked: Tracked, last: int) -> tuple[int, str]:
    """Position and content of the archive, once it stands at the end of the log and a reader can have it."""
    while True:
        with suppress(Unreachable):
            said = await ask_patiently(tracked.system.bus, DIGEST, {}, within_s=60.0)
            if said["position"] >= last:
                return int(said["position"]), str(said["digest"])
        await asyncio.sleep(0.05)
