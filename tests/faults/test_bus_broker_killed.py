"""kill -9 of the broker, five times under load: every fact is stored once and applied once, in order, without a hand."""

import asyncio
import time
from pathlib import Path

from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.kv_store import KvStore
from cardtrail.services.bus.outbox import Outbox
from cardtrail.services.bus.progress import Progress
from cardtrail.services.bus.readers import BULK
from cardtrail.services.bus.runner import run_deriver, run_fold
from cardtrail.services.bus.stores import MemoryStore
from tests.nats_server import fresh_bus
from tests.services.bus.facts import Echo, Numbers, fetched
from tests.streams import PATIENCE_S

FACTS, AGENTS, KILLS = 1500, 7, 5


def numbers_of(agent: int) -> list[int]:
    return [number for number in range(1, FACTS + 1) if number % AGENTS == agent]


def test_five_kills_under_load_lose_nothing_double_nothing_and_keep_the_order(tmp_path: Path) -> None:
    async def run() -> None:
        async with fresh_bus(patience_s=1.0) as (bus, broker), Bus(broker.url) as teller:
            teller.patience_s = 1.0
            bucket, memory, derived = KvStore(bus, "numbers", "public"), MemoryStore(), MemoryStore()
            stop = asyncio.Event()
            seen = [Progress() for _ in range(3)]
            runs = [
                asyncio.ensure_future(run)
                for run in (
                    run_fold(bus, Numbers(), bucket, stop=stop, progress=seen[0]),
                    run_fold(bus, Numbers(), memory, kept_in="memory", mode=BULK, stop=stop, progress=seen[1]),
                    run_deriver(bus, Echo(), derived, stop=stop, progress=seen[2]),
                )
            ]
            async with Outbox(teller, tmp_path / "out.db") as box:

                async def produce() -> None:
                    for number in range(1, FACTS + 1):
                        await box.tell([fetched(f"agent-{number % AGENTS}", number)])

                producing = asyncio.ensure_future(produce())
                for kill in range(1, KILLS + 1):
                    await asyncio.wait_for(seen[1].reaches(kill * FACTS // 8), PATIENCE_S)
                    await asyncio.to_thread(broker.kill)
                    await asyncio.to_thread(broker.revive)
                await producing
                await asyncio.wait_for(box.emptied(), PATIENCE_S)
            await asyncio.wait_for(asyncio.gather(*(one.reaches(2 * FACTS) for one in seen)), PATIENCE_S)
            stop.set()
            await asyncio.gather(*runs)
            assert (await bus.info()).last == 2 * FACTS
            kept, _ = await bucket.load()
            for agent in range(AGENTS):
                key = (f"agent-{agent}",)
                assert kept.table("numbers")[key]["seen"] == numbers_of(agent)
                assert memory.tables["numbers"][key]["seen"] == numbers_of(agent)
                assert derived.tables["echo"][key] == {"count": len(numbers_of(agent))}

    asyncio.run(run())


def test_a_broker_killed_in_the_middle_of_one_tell_has_each_fact_once_and_in_order() -> None:
    async def run() -> None:
        async with fresh_bus(patience_s=PATIENCE_S) as (bus, broker):
            facts = [fetched("a", number) for number in range(1, 2001)]
            telling = asyncio.ensure_future(bus.tell(facts))
            while (await bus.info()).last < 300:
                assert not telling.done()
            await asyncio.to_thread(broker.kill)
            await asyncio.to_thread(broker.revive)
            assert await asyncio.wait_for(telling, PATIENCE_S) == list(range(1, 2001))
            assert (await bus.info()).last == 2000

    asyncio.run(run())


def test_an_outage_of_seconds_while_everybody_waits_costs_no_hot_loop_and_no_hand() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, broker):
            await bus.tell([fetched("a", 1)])
            store, stop, seen = MemoryStore(), asyncio.Event(), Progress()
            task = asyncio.ensure_future(run_fold(bus, Numbers(), store, stop=stop, progress=seen))
            await asyncio.wait_for(seen.reaches(1), PATIENCE_S)
            broker.kill()
            cpu = time.thread_time()
            await asyncio.wait({task}, timeout=3)
            assert time.thread_time() - cpu < 0.5
            assert seen.reader is not None
            assert seen.reader.blind_since is not None
            broker.revive()
            await bus.connection.connected.wait()
            await bus.tell([fetched("a", 2)])
            await asyncio.wait_for(seen.reaches(2), PATIENCE_S)
            assert seen.reader.blind_since is None
            stop.set()
            await task
            assert store.tables["numbers"][("a",)]["seen"] == [1, 2]

    asyncio.run(run())
