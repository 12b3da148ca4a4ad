"""Rows of a bucket need no consumer: all of them, each once, the newest; also where nobody can make a consumer any more."""

import asyncio

import pytest

from cardtrail.services.bus.errors import BrokerRefused
from cardtrail.services.bus.kv_read import read_row, read_table
from cardtrail.services.bus.kv_rows import kv_rows
from cardtrail.services.bus.kv_store import KvStore
from tests.nats_server import fresh_bus
from tests.services.bus.crowd import LIMIT, crowd


def test_a_bucket_without_room_for_a_consumer_is_loaded_read_and_written_all_the_same() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            store = KvStore(bus, "routes", "p")
            rows, _ = await store.load()
            rows.put("t", ("k",), {"n": 1})
            await store.commit(rows, 3)
            assert await crowd(bus, store.bucket) == LIMIT
            again, position = await KvStore(bus, "routes", "p").load()
            assert (again.table("t"), position) == ({("k",): {"n": 1}}, 3)
            rows.put("t", ("k",), {"n": 2})
            await store.commit(rows, 4)
            assert await read_table(bus, "routes", "p", "t") == ({("k",): {"n": 2}}, 4)
            assert await read_row(bus, "routes", "p", "t", ("k",)) == {"n": 2}

    asyncio.run(run())


def test_more_rows_than_one_batch_come_once_each_in_order_and_behind_a_sequence_only_the_newer_ones() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            store = KvStore(bus, "routes", "p")
            rows, _ = await store.load()
            for number in range(3500):
                rows.put("t", (str(number),), {"n": number})
            await store.commit(rows, 7)
            found = await kv_rows(bus.connection, store.bucket)
            assert len({one.subject for one in found}) == len(found) == 3501
            sequences = [one.sequence for one in found]
            assert sequences == sorted(sequences)
            rows.put("t", ("9",), {"n": -9})
            await store.commit(rows, 8)
            newer = await kv_rows(bus.connection, store.bucket, after=sequences[-1])
            assert [one.subject.rpartition(".")[2] for one in newer] == ["9", "_position"]
            assert await kv_rows(bus.connection, store.bucket, after=newer[-1].sequence) == []
            assert [one.data for one in await kv_rows(bus.connection, store.bucket, "t.9")] == [newer[0].data]

    asyncio.run(run())


def test_rows_that_change_while_they_are_read_come_with_what_they_are_at_last() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            store = KvStore(bus, "routes", "p")
            rows, _ = await store.load()
            for number in range(2000):
                rows.put("t", (str(number),), {"turn": 0})
            await store.commit(rows, 1)

            async def write() -> None:
                for turn in range(2, 12):
                    for number in range(0, 2000, 50):
                        rows.put("t", (str(number),), {"turn": turn})
                    await store.commit(rows, turn)

            writing = asyncio.create_task(write())
            while not writing.done():
                found, _ = await read_table(bus, "routes", "p", "t")
                assert len(found) == 2000
            await writing
            found, position = await read_table(bus, "routes", "p", "t")
            assert ({row["turn"] for row in found.values()}, position) == ({0, 11}, 11)

    asyncio.run(run())


def test_a_bucket_that_is_not_there_is_refused_by_name_and_reads_as_empty() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            with pytest.raises(BrokerRefused, match="stream not found"):
                await kv_rows(bus.connection, "routes_nobody")
            assert await read_table(bus, "routes", "nobody", "t") == ({}, 0)

    asyncio.run(run())
