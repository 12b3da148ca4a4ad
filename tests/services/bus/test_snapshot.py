"""A passage through the log outlives an interruption, and gives up where nothing comes any more."""

import asyncio

import pytest

from cardtrail.events.subjects import ALL
from cardtrail.services.bus.errors import BrokerUnreachable
from cardtrail.services.bus.names import FACTS
from cardtrail.services.bus.snapshot import passage
from tests.nats_server import fresh_bus
from tests.services.bus.facts import fetched

COUNT = 12_000


def test_a_passage_whose_consumer_is_taken_away_goes_on_behind_the_last_message() -> None:
    async def run() -> None:
        async with fresh_bus(holding=(fetched() for _ in range(COUNT))) as (bus, _):
            seen: list[int] = []
            async for message in passage(bus.connection, FACTS, ALL):
                seen.append(message.sequence)
                if message.sequence in {100, 5_000}:
                    js = bus.connection.js
                    for info in await js.consumers_info(FACTS):
                        await js.delete_consumer(FACTS, info.name)
            assert seen == list(range(1, COUNT + 1))

    asyncio.run(run())


def test_a_passage_through_a_broker_that_died_ends_with_an_error_of_ours() -> None:
    async def run() -> None:
        async with fresh_bus(holding=(fetched() for _ in range(COUNT))) as (bus, server):

            async def read() -> None:
                async for message in passage(bus.connection, FACTS, ALL):
                    if message.sequence == 10:
                        server.kill()

            with pytest.raises(BrokerUnreachable):
                await asyncio.wait_for(read(), 60)

    asyncio.run(run())
