"""A consumer that somebody removed, or one that lost its state, is rebuilt from the store's position within seconds."""

import asyncio
import time

import pytest

from cardtrail.services.bus.names import FACTS
from cardtrail.services.bus.progress import Progress
from cardtrail.services.bus.readers import BULK, TAIL, Mode
from cardtrail.services.bus.runner import run_fold
from cardtrail.services.bus.stores import MemoryStore
from tests.nats_server import fresh_bus
from tests.services.bus.facts import Numbers, fetched
from tests.streams import PATIENCE_S

NAME = "numbers_kv"


@pytest.mark.parametrize("mode", [TAIL, BULK], ids=["tail", "bulk"])
def test_a_deleted_consumer_is_noticed_and_resumed_from_the_stores_position_without_gap_or_repeat(mode: Mode) -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            store, stop, seen = MemoryStore(), asyncio.Event(), Progress()
            task = asyncio.ensure_future(run_fold(bus, Numbers(), store, mode=mode, stop=stop, progress=seen))
            for turn in range(5):
                await bus.tell([fetched("a", turn * 10 + number) for number in range(1, 11)])
                await asyncio.wait_for(seen.reaches(turn * 10 + 10), PATIENCE_S)
                await bus.connection.js.delete_consumer(FACTS, NAME)
            began, cpu = time.monotonic(), time.thread_time()
            await bus.tell([fetched("a", 51)])
            await asyncio.wait_for(seen.reaches(51), PATIENCE_S)
            assert time.monotonic() - began < 10
            assert time.thread_time() - cpu < 2
            stop.set()
            await task
            assert store.tables["numbers"][("a",)]["seen"] == list(range(1, 52))
            assert [one.name for one in await bus.connection.js.consumers_info(FACTS)] == [NAME]

    asyncio.run(run())


def test_a_consumer_that_somebody_reset_or_moved_ahead_is_put_right() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            store, stop, seen = MemoryStore(), asyncio.Event(), Progress()
            task = asyncio.ensure_future(run_fold(bus, Numbers(), store, stop=stop, progress=seen))
            await bus.tell([fetched("a", number) for number in range(1, 21)])
            await asyncio.wait_for(seen.reaches(20), PATIENCE_S)
            for place in (1, 1000):
                await bus.connection.js.reset_consumer(FACTS, NAME, place)
                told = await bus.tell([fetched("a", place)])
                await asyncio.wait_for(seen.reaches(told[-1]), PATIENCE_S)
            stop.set()
            await task
            assert store.tables["numbers"][("a",)]["seen"] == [*range(1, 21), 1, 1000]

    asyncio.run(run())


def test_what_somebody_else_pulled_away_comes_again() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            store, stop, seen = MemoryStore(), asyncio.Event(), Progress()
            task = asyncio.ensure_future(run_fold(bus, Numbers(), store, stop=stop, progress=seen))
            await bus.tell([fetched("a", 1)])
            await asyncio.wait_for(seen.reaches(1), PATIENCE_S)
            nc = bus.connection.nc
            inbox = nc.new_inbox()
            thief = await nc.subscribe(inbox)
            request = b'{"batch": 50, "expires": 2000000000}'
            await nc.publish(f"$JS.API.CONSUMER.MSG.NEXT.{FACTS}.{NAME}", request, reply=inbox)
            await bus.tell([fetched("a", number) for number in range(2, 1001)])
            await asyncio.wait_for(seen.reaches(1000), PATIENCE_S)
            await thief.unsubscribe()
            stop.set()
            await task
            assert store.tables["numbers"][("a",)]["seen"] == list(range(1, 1001))

    asyncio.run(run())
