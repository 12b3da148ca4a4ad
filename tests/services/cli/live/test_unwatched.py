"""Nobody waits for an agent that nobody has ever watched: it is said so, with the command that has it watched."""

import asyncio
from pathlib import Path

from cardtrail.events.model.lockfile import Candidate
from cardtrail.services.bus.kv_store import KvStore
from tests.nats_server import fresh_bus
from tests.projections.facts import lock, pinned
from tests.projections.log import Log
from tests.services.cli.program import Done, child
from tests.services.planner.routes import pending, row, stopped

PLACE = "https://spare.example/card.json"
PATIENCE_S = 120


async def _asked(folder: Path) -> list[Done]:
    log = Log()
    log.say("agent-tracked", "pricing", target={"kind": "domain", "value": "p.example"})
    pinned(log, lock(Candidate(agent=PLACE)))
    async with fresh_bus() as (bus, server), asyncio.timeout(PATIENCE_S):
        await bus.tell([stored.fact for stored in log.facts])
        store = KvStore(bus, "routes", "public")
        rows, _ = await store.load()
        rows.put("routes", ("public", "trip", "quote"), row(stopped(), pending(PLACE)))
        await store.commit(rows, len(log.facts))
        words = ("can-i-delegate", "trip", "--any", "--wait", "1h")
        where = {"NATS_URL": server.url, "CARDTRAIL_DATA": str(folder)}
        return [await asyncio.to_thread(child, *words, *more, **where) for more in ((), ("--json",))]


def test_a_stand_in_that_nobody_watches_is_not_waited_for(tmp_path: Path) -> None:
    text, document = asyncio.run(_asked(tmp_path))
    _, spare = document.json["answers"][0]["candidates"]
    assert (spare["answer"], spare["untracked"]) == ("unknown", True)
    assert (text.code, "--wait" in text.out) == (1, False)
    assert f"nobody watches it: cardtrail track {PLACE}" in text.out
