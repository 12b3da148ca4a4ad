"""A bucket on which somebody leaves consumers is told with their number, their names and its limit."""

import asyncio

from cardtrail.services.bus.kv_crowd import MOST, crowd_of
from cardtrail.services.bus.kv_store import KvStore, bucket_config
from tests.nats_server import fresh_bus
from tests.services.bus.crowd import LIMIT, crowd


def test_a_full_bucket_says_how_many_consumers_it_has_and_what_they_are_called() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            assert await crowd_of(bus.connection, "routes", "p") is None
            await KvStore(bus, "routes", "p").load()
            quiet = await crowd_of(bus.connection, "routes", "p")
            assert quiet is not None
            assert (quiet.consumers, quiet.names, quiet.differences) == (0, (), ())
            assert await crowd(bus, "routes_p") == LIMIT == MOST
            found = await crowd_of(bus.connection, "routes", "p")
            assert found is not None
            assert (found.consumers, found.most, found.stream) == (LIMIT, MOST, "KV_routes_p")
            assert found.names[0].startswith("left-… ("), found.names
            assert found.since

    asyncio.run(run())


def test_a_limit_that_an_operator_has_set_and_a_bucket_of_an_older_release_are_told() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            own = bucket_config("routes_p").evolve(max_consumers=20, consumer_limits=None)
            await bus.connection.js.add_stream(own)
            assert await crowd(bus, "routes_p", 30) == 20
            found = await crowd_of(bus.connection, "routes", "p")
            assert found is not None
            assert (found.consumers, found.most) == (20, 20)
            assert [one.setting for one in found.differences] == ["consumer_limits"]

    asyncio.run(run())
