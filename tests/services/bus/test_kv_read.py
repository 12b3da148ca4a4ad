"""What is read of a bucket that is not there, or holds no such row, is nothing: it is no broker that is away."""

import asyncio

from cardtrail.services.bus.kv_read import read_position, read_row, read_table
from cardtrail.services.bus.kv_store import KvStore
from tests.nats_server import fresh_bus


def test_a_bucket_that_is_not_there_has_no_rows_and_one_that_is_has_those_it_holds() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            assert await read_row(bus, "routes", "public", "t", ("k",)) is None
            assert await read_position(bus, "routes", "public") == 0
            assert await read_table(bus, "routes", "public", "t") == ({}, 0)
            store = KvStore(bus, "routes", "public")
            rows, _ = await store.load()
            rows.put("t", ("k",), {"n": 1})
            await store.commit(rows, 7)
            assert await read_row(bus, "routes", "public", "t", ("k",)) == {"n": 1}
            assert await read_row(bus, "routes", "public", "t", ("other",)) is None
            assert await read_position(bus, "routes", "public") == 7
            assert await read_table(bus, "routes", "public", "t") == ({("k",): {"n": 1}}, 7)

    asyncio.run(run())
