"""A backlog of large facts and a slow consumer: nothing is dropped, and what is under way stays bounded."""

import asyncio
import tracemalloc

import pytest

from cardtrail.events.subjects import ALL
from cardtrail.services.bus.names import FACTS
from cardtrail.services.bus.readers import BULK, REPLAY, TAIL, Mode, Reader
from tests.nats_server import fresh_bus
from tests.services.bus.facts import fetched
from tests.streams import PATIENCE_S

LARGE = "x" * 200_000


@pytest.mark.parametrize("mode", [TAIL, BULK, REPLAY], ids=["tail", "bulk", "replay"])
def test_a_slow_consumer_of_large_facts_drops_none_and_holds_few(mode: Mode) -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            for _ in range(10):
                await bus.tell([fetched("a", detail=LARGE) for _ in range(40)])
            reader = Reader(bus.connection, "slow", filter_subject=ALL, mode=mode)
            tracemalloc.start()
            await reader.start(0)
            seen: list[int] = []
            while len(seen) < 400:
                await asyncio.sleep(0.3 if len(seen) < 200 else 0)  # slower than what arrives: the point of this test
                batch = await asyncio.wait_for(reader.batch(), PATIENCE_S)
                seen += [message.sequence for message in batch]
                await reader.ack(batch[-1])
                del batch
            held = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            await reader.close()
            assert seen == list(range(1, 401))
            assert reader.restarts == 0
            assert held < 80 << 20

    asyncio.run(run())


def test_a_message_that_is_gone_from_the_middle_is_passed_without_stalling() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            js = bus.connection.js
            config = (await js.stream_info(FACTS)).config
            await js.delete_stream(FACTS)
            await js.add_stream(config, deny_delete=False)
            await bus.tell([fetched() for _ in range(10)])
            for sequence in (4, 5, 9):
                await js.delete_msg(FACTS, sequence)
            reader = Reader(bus.connection, "r", filter_subject=ALL, mode=TAIL)
            await reader.start(0)
            seen: list[int] = []
            while len(seen) < 7:
                seen += [message.sequence for message in await asyncio.wait_for(reader.batch(), PATIENCE_S)]
            await reader.close()
            assert (seen, reader.restarts) == ([1, 2, 3, 6, 7, 8, 10], 0)

    asyncio.run(run())
