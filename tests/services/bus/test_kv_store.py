"""Rows and position of a bucket move together or not at all, and a second writer changes nothing."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nats.js.api import ConsumerConfig, StreamConsumerLimits

from cardtrail.projections.projection import Rows
from cardtrail.services.bus.connection import foreign
from cardtrail.services.bus.errors import BrokerRefused, StaleWriter
from cardtrail.services.bus.kv_store import FORGOTTEN_S, KvStore, SideStore, bucket_config, kv_key
from cardtrail.services.bus.names import bucket_name, kv_stream
from tests.nats_server import fresh_bus
from tests.services.bus.crowd import crowd
from tests.streams import PATIENCE_S

KEYS = st.lists(st.text(max_size=200), min_size=1, max_size=4).map(tuple)


def test_a_bucket_gives_back_rows_and_position_as_they_were_committed() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            store = KvStore(bus, "routes", "team a")
            rows, position = await store.load()
            assert (rows.table("t"), position) == ({}, 0)
            hostile = ("a.b *>", "ü\\n", "", "x" * 300)
            rows.put("t", hostile, {"n": 1, "deep": {"list": [1, None]}})
            rows.put("other", ("k",), {"n": 2})
            await store.commit(rows, 5)
            rows.delete("other", ("k",))
            await store.commit(rows, 9)
            again, position = await KvStore(bus, "routes", "team a").load()
            assert (again.table("t"), again.table("other")) == ({hostile: {"n": 1, "deep": {"list": [1, None]}}}, {})
            assert position == 9

    asyncio.run(run())


def test_a_commit_without_changes_still_moves_the_position() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            store = KvStore(bus, "routes", "p")
            rows, _ = await store.load()
            await store.commit(rows, 3)
            assert (await store.load())[1] == 3

    asyncio.run(run())


def test_of_two_writers_one_wins_and_the_other_one_is_refused_whole() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            one, two = KvStore(bus, "routes", "p"), KvStore(bus, "routes", "p")
            (first, _), (second, _) = await one.load(), await two.load()
            for rows, name in ((first, "one"), (second, "two")):
                for number in range(20):
                    rows.put("t", (f"{name}-{number}",), {})
            said = await asyncio.gather(one.commit(first, 1), two.commit(second, 2), return_exceptions=True)
            assert sorted(type(answer) for answer in said if answer) == [StaleWriter]
            winner = "two" if said[0] else "one"
            rows, position = await KvStore(bus, "routes", "p").load()
            assert {key[0].split("-")[0] for key in rows.table("t")} == {winner}
            assert (len(rows.table("t")), position) == (20, 2 if said[0] else 1)

    asyncio.run(run())


def test_writers_of_different_buckets_never_meet() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            stores = [KvStore(bus, "routes", principal) for principal in ("a", "b")]
            for store in stores:
                rows, _ = await store.load()
                rows.put("t", (store.bucket,), {})
                await store.commit(rows, 1)
            for store in stores:
                assert list((await store.load())[0].table("t")) == [(store.bucket,)]

    asyncio.run(run())


def test_thousands_of_changes_take_several_batches_with_the_position_in_the_last() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            store = KvStore(bus, "routes", "p")
            rows, _ = await store.load()
            for number in range(2500):
                rows.put("t", (str(number),), {"n": number})
            await store.commit(rows, 77)
            again, position = await store.load()
            assert (len(again.table("t")), position) == (2500, 77)

    asyncio.run(run())


def test_a_rebuild_writes_only_what_differs() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            store = KvStore(bus, "routes", "p")
            rows, _ = await store.load()
            for number in range(100):
                rows.put("t", (str(number),), {"n": number})
            await store.commit(rows, 10)
            before = (await bus.connection.js.stream_info(kv_stream(store.bucket))).state.last_seq
            side = SideStore(store)
            built = Rows()
            for number in range(1, 101):
                built.put("t", (str(number),), {"n": -1 if number == 50 else number})
            await side.commit(built, 12)
            assert await side.finish() == 3
            after = (await bus.connection.js.stream_info(kv_stream(store.bucket))).state.last_seq
            assert after - before == 4
            again, position = await store.load()
            assert (again.table("t"), position) == (side.tables["t"], 12)

    asyncio.run(run())


def test_a_rebuild_is_refused_when_the_live_run_has_written_meanwhile() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            live, other = KvStore(bus, "routes", "p"), KvStore(bus, "routes", "p")
            rows, _ = await live.load()
            await live.commit(rows, 1)
            changed, _ = await other.load()
            await other.commit(changed, 2)
            rows.put("t", ("x",), {})
            with pytest.raises(StaleWriter):
                await live.commit(rows, 3)

    asyncio.run(run())


def test_a_consumer_that_is_left_behind_is_forgotten_a_durable_one_too() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            short = StreamConsumerLimits(inactive_threshold=0.5)
            await bus.connection.js.add_stream(bucket_config("routes_p").evolve(consumer_limits=short))
            store = KvStore(bus, "routes", "p")
            rows, _ = await store.load()
            assert [one.setting for one in store.differences] == ["consumer_limits"]
            assert await crowd(bus, store.bucket, 20) == 20
            js = bus.connection.js
            async with asyncio.timeout(PATIENCE_S):
                while (await js.stream_info(kv_stream(store.bucket))).state.consumer_count:  # noqa: ASYNC110 — no event
                    await asyncio.sleep(0.1)
            await store.commit(rows, 1)

    asyncio.run(run())


def test_no_consumer_of_a_bucket_is_kept_longer_than_its_limit_whatever_it_asks_for() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            store = KvStore(bus, "routes", "p")
            await store.load()
            assert store.differences == ()
            js, stream = bus.connection.js, kv_stream(store.bucket)
            kept = await js.add_consumer(stream, ConsumerConfig(durable_name="kept"))
            assert kept.config.inactive_threshold == FORGOTTEN_S
            config = ConsumerConfig(durable_name="longer", inactive_threshold=FORGOTTEN_S + 1)
            with pytest.raises(BrokerRefused, match="inactive threshold"), foreign():
                await js.add_consumer(stream, config)

    asyncio.run(run())


def test_a_bucket_of_an_older_release_is_kept_as_it_is_told_of_and_works() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            await bus.connection.js.add_stream(bucket_config("routes_p").evolve(consumer_limits=None))
            store = KvStore(bus, "routes", "p")
            rows, _ = await store.load()
            assert [(one.setting, one.live) for one in store.differences] == [("consumer_limits", "unset")]
            rows.put("t", ("k",), {"n": 1})
            await store.commit(rows, 1)
            assert (await KvStore(bus, "routes", "p").load())[1] == 1

    asyncio.run(run())


@given(KEYS, KEYS)
def test_different_rows_never_share_a_key(one: tuple[str, ...], two: tuple[str, ...]) -> None:
    assert (kv_key("t", one) == kv_key("t", two)) == (one == two)


@given(st.text(max_size=80), st.text(max_size=80))
def test_different_principals_never_share_a_bucket_and_its_name_is_plain(one: str, two: str) -> None:
    assert (bucket_name("routes", one) == bucket_name("routes", two)) == (one == two)
    assert bucket_name("routes", one).replace("_", "").replace("-", "").isalnum()
