"""An operator's day at a terminal: a tracker at work, every live command against it, exit codes as scripts see them."""

import asyncio
import json
import os
import signal
from pathlib import Path
from typing import Any

from tests.journeys.shell import Shell
from tests.journeys.tracked import tracking
from tests.services.cli.cards import card, lock, skill, written

HOST = "pricing.partner.example"
ENDPOINT = {"url": f"https://{HOST}/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}
PDF = [skill(outputModes=["application/pdf"])]


class Desk(Shell):
    """Before one agent."""

    async def serves(self, **changes: Any) -> str:
        """The agent changes its card, and is looked at; what that says."""
        self.tracked.publish(HOST, json.dumps(card(supportedInterfaces=[ENDPOINT], **changes)).encode())
        return str((await self.say("refresh", "pricing", "--wait")).out)


def test_a_day_of_an_operator(tmp_path: Path) -> None:
    asyncio.run(day(tmp_path))


async def day(folder: Path) -> None:
    async with tracking(folder, {"pricing": HOST}) as tracked:
        desk = Desk(tracked, folder)
        await serves_and_pins(desk)
        await a_review_is_accepted(desk)
        await breaking_stays_breaking(desk)
        await the_past_stands_still(desk)
        await the_tracker_is_looked_over(desk)
        await cards_take_turns(desk)
        await everything_is_taken_back(desk)


async def serves_and_pins(desk: Desk) -> None:
    await desk.serves()
    file = str(written(desk.folder / "trip.lock.json", lock(agent=desk.tracked.host.url(host=HOST))))
    told = await desk.json("track", "--lock", file, "--by", "mira")
    assert [fact["kind"] for fact in told["facts"]] == ["lockfile-pinned"]
    await desk.say("refresh", HOST, "--wait")
    assert (await desk.json("track", "--lock", file))["facts"] == []
    (standing,) = (await desk.json("status", "--fail-on", "review"))["locks"]
    assert (standing["verdict"], standing["heard"], standing["workflow"]) == ("compatible", "fresh", "trip-planner")
    (agent,) = (await desk.json("agents", "pric"))["agents"]
    assert (agent["agent"], agent["locks"], agent["version"]) == ("pricing", ["trip-planner"], "3.2.0")


async def a_review_is_accepted(desk: Desk) -> None:
    await desk.serves(version="4.0.0")
    (standing,) = (await desk.json("status", "--fail-on", "review", code=1))["locks"]
    (finding,) = [one for one in standing["findings"] if one["rule"] == "agent-version-changed"]
    unknown = await desk.json("ack", "ffffffffffff", "--reason", "no", code=2)
    assert unknown["error"]["code"] == "fingerprint-unknown"
    await desk.json("ack", finding["fingerprint"][:12], "--reason", "agreed", "--until", "30d", "--by", "mira")
    await desk.tracked.decided((await desk.tracked.system.bus.info()).last)
    (standing,) = (await desk.json("status", "--fail-on", "review"))["locks"]
    assert (standing["open"], standing["acknowledged"], standing["action"]) == (0, 1, "allow")
    (accepted,) = [one["acknowledged"] for one in standing["findings"] if one["acknowledged"]]
    assert (accepted["by"], accepted["reason"]) == ("mira", "agreed")


async def breaking_stays_breaking(desk: Desk) -> None:
    """J114: a second run is as red as the first; an acceptance silences and never allows."""
    await desk.serves(version="4.0.0", skills=PDF)
    for _ in range(2):
        (standing,) = (await desk.json("status", "--fail-on", "breaking", code=1))["locks"]
        await desk.serves(version="4.0.0", skills=PDF)
    worst = next(one for one in standing["findings"] if one["severity"] == "breaking")
    told = await desk.json("ack", worst["fingerprint"], "--reason", "looked at")
    assert "stays breaking" in told["notes"][-1]
    await desk.tracked.decided((await desk.tracked.system.bus.info()).last)
    (standing,) = (await desk.json("status", "--fail-on", "breaking", code=1))["locks"]
    assert standing["action"] == "stop"


async def the_past_stands_still(desk: Desk) -> None:
    told = await desk.json("history", "pricing")
    seen = [
        entry["what"] for entry in told["entries"] if entry["what"] != "refused"
    ]  # a look before anything was served
    assert seen[:3] == ["tracked", "card", "pinned"]
    assert told["names"] == [desk.tracked.host.url(host=HOST)]
    assert told["folded"] > 0
    whole = await desk.json("history", "pricing", "--all")
    assert whole["facts"] == told["facts"] == sum(len(entry["facts"]) for entry in whole["entries"])
    version = next(entry for entry in told["entries"] if "4.0.0" in entry["text"])
    before = version["facts"][0]["stored_at"]
    now, then = [await desk.json("show", "pricing", *more) for more in ([], ["--as-of", before])]
    assert (
        now["identity"]["version"] == then["identity"]["version"] == "4.0.0" or then["identity"]["version"] == "3.2.0"
    )
    assert (now["locks"][0]["verdict"], then["locks"][0]["verdict"]) == ("breaking", "compatible")
    known = await desk.json("history", "pricing", "--as-of", before)
    assert known["through"] == version["facts"][0]["sequence"]
    near = await desk.json("history", "prices", code=2)
    assert (near["error"]["code"], near["error"]["hint"]) == ("agent-unknown", "did you mean pricing?")


async def the_tracker_is_looked_over(desk: Desk) -> None:
    """N169, N170: a frozen projector is seen though nothing happens; no rebuild beside a live run."""
    well = await desk.json("doctor")
    assert well["failed"] == 0
    pid = desk.tracked.system.children.pid("projector")
    os.kill(pid, signal.SIGSTOP)
    try:
        ill = await desk.json("doctor", code=1)
    finally:
        os.kill(pid, signal.SIGCONT)
    assert [check["name"] for check in ill["checks"] if check["level"] == "failed"] == ["projector"]
    compared = await desk.json("replay")
    assert [one["same"] for one in compared["results"]] == [True] * len(compared["results"])
    assert {one["kept_in"] for one in compared["results"]} == {"kv", "duckdb"}
    refused = await desk.json("replay", "--projection", "duckdb", "--repair", code=2)
    assert refused["error"]["code"] == "projector-running"


async def cards_take_turns(desk: Desk) -> None:
    """The good card is back, and every command says what holds its lock and how many looks end it."""
    for changes in ({}, {"version": "4.0.0", "skills": PDF}):
        assert "held by card-flapping" not in await desk.serves(**changes) or changes
    held = "held by card-flapping: 1 of 3 equal looks; cardtrail refresh"
    assert f"✗ breaking  trip-planner  {held}" in await desk.serves()
    await desk.tracked.decided((await desk.tracked.system.bus.info()).last)
    assert held in (await desk.say("status")).out
    assert f"output-modes-disjoint, {held}" in (await desk.say("can-i-delegate", "trip-planner", code=1)).out
    told = (await desk.say("explain", "trip-planner")).out
    assert "looks    1 of 3 equal looks; cardtrail refresh" in told
    assert "seen     [application/pdf]" in told
    assert "2 of 3 equal looks" in (await desk.say("refresh", "pricing", "--wait")).out
    assert "card-flapping" not in (await desk.say("refresh", "pricing", "--wait")).out


async def everything_is_taken_back(desk: Desk) -> None:
    told = await desk.json("untrack", "pricing")
    assert "the settings file still names it" in told["notes"][-1]
    await nobody_watches(desk, told["facts"][0]["sequence"])
    assert (await desk.json("release", "trip-planer", code=2))["error"]["hint"] == "did you mean trip-planner?"
    told = await desk.json("release", "trip-planner", "pricing", "--reason", "moved")
    assert [fact["kind"] for fact in told["facts"]] == ["lockfile-released"]
    assert (await desk.json("refresh", "pricing", code=2))["error"]["code"] == "agent-not-watched"
    assert (await desk.json("agents"))["agents"] == []
    assert (await desk.json("untrack", "pricing"))["facts"] == []


async def nobody_watches(desk: Desk, sequence: int) -> None:
    """A lock on an agent that is not watched any more awaits nothing, and nobody waits for it."""
    for bucket in ("lockfile_status", "routes"):
        await desk.tracked.reaches("projector", f"{bucket}/public", sequence)
    (standing,) = (await desk.json("status"))["locks"]
    assert (standing["verdict"], standing["heard"]) == ("pending", "unwatched")
    assert "not watched" in (await desk.say("status")).out
    async with asyncio.timeout(60):
        asked = await desk.json("can-i-delegate", "trip-planner", "--wait", "10m", code=1)
    (candidate,) = asked["answers"][0]["candidates"]
    assert (candidate["answer"], candidate["untracked"]) == ("unknown", True)
    assert candidate["reasons"][0]["detail"] == "nobody watches it any more: cardtrail track TARGET --name pricing"
    assert "--wait" not in (await desk.say("can-i-delegate", "trip-planner", code=1)).out
