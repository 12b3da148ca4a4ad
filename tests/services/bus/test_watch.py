"""A planner's view: complete, then live, and never silently wrong."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from cardtrail.services.bus.errors import BrokerRefused
from cardtrail.services.bus.kv_read import read_table
from cardtrail.services.bus.kv_store import KvStore
from cardtrail.services.bus.watch import Change, Standing, Watch
from tests.nats_server import fresh_bus
from tests.services.bus.crowd import LIMIT, crowd
from tests.streams import PATIENCE_S

TURNS = 50  # of the loop: at once, however slow the machine is


async def until(changes: AsyncIterator[Change | Standing], state: str) -> list[Change]:
    """The changes before this state is reached."""
    seen: list[Change] = []
    while True:
        change = await asyncio.wait_for(anext(changes), PATIENCE_S)
        if isinstance(change, Standing):
            if change.state == state:
                return seen
        else:
            seen.append(change)


def test_a_view_begins_with_everything_then_follows_and_sees_deletions() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            store = KvStore(bus, "routes", "p")
            rows, _ = await store.load()
            for number in range(3):
                rows.put("t", (f"w.{number}",), {"n": number})
            await store.commit(rows, 4)
            watch = Watch(bus.connection, "routes", "p")
            changes = aiter(watch.changes())
            assert [(one.key, one.row, one.through) for one in await until(changes, "live")] == [
                (("w.0",), {"n": 0}, 4),
                (("w.1",), {"n": 1}, 4),
                (("w.2",), {"n": 2}, 4),
            ]
            assert watch.position == 4
            rows.delete("t", ("w.1",))
            await store.commit(rows, 5)
            gone = await asyncio.wait_for(anext(changes), PATIENCE_S)
            assert gone == Change(table="t", key=("w.1",), row=None, through=5)

    asyncio.run(run())


def test_an_empty_bucket_is_live_at_once() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            await KvStore(bus, "routes", "p").load()
            assert await until(aiter(Watch(bus.connection, "routes", "p").changes()), "live") == []

    asyncio.run(run())


def test_a_killed_broker_makes_it_blind_at_once_and_live_again_without_a_missing_change() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, running):
            store = KvStore(bus, "routes", "p")
            rows, _ = await store.load()
            watch = Watch(bus.connection, "routes", "p")
            changes = aiter(watch.changes())
            await until(changes, "live")
            for turn in range(1, 4):
                rows.put("t", ("k",), {"n": turn})
                await store.commit(rows, turn)
                lost = asyncio.Event()
                forget = bus.connection.on_back(lost.set)
                blind = asyncio.ensure_future(until(changes, "blind"))
                running.kill()
                await asyncio.wait_for(lost.wait(), PATIENCE_S)
                forget()
                for _ in range(TURNS):
                    await asyncio.sleep(0)
                assert (blind.done(), watch.standing.state) == (True, "blind")
                running.revive()
                await bus.connection.connected.wait()
                rows.put("t", ("while-blind",), {"n": turn})
                await store.commit(rows, turn + 10)
                seen = {one.key: one.row for one in await until(changes, "live")}
                for one in [] if ("while-blind",) in seen else [await asyncio.wait_for(anext(changes), PATIENCE_S)]:
                    assert isinstance(one, Change)
                    seen[one.key] = one.row
                assert seen == {("k",): {"n": turn}, ("while-blind",): {"n": turn}}

    asyncio.run(run())


def test_a_deleted_consumer_is_noticed_and_replaced() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            store = KvStore(bus, "routes", "p")
            rows, _ = await store.load()
            changes = aiter(Watch(bus.connection, "routes", "p").changes())
            await until(changes, "live")
            waiting = asyncio.ensure_future(until(changes, "live"))
            for consumer in await bus.connection.js.consumers_info("KV_routes_p"):
                await bus.connection.js.delete_consumer("KV_routes_p", consumer.name)
            await asyncio.wait_for(waiting, PATIENCE_S)
            rows.put("t", ("k",), {})
            await store.commit(rows, 1)
            assert isinstance(await asyncio.wait_for(anext(changes), PATIENCE_S), Change)

    asyncio.run(run())


def test_a_watch_can_be_dropped_a_hundred_times_under_load_without_hanging() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            store = KvStore(bus, "routes", "p")
            rows, _ = await store.load()
            for turn in range(100):
                rows.put("t", ("k",), {"n": turn})
                await store.commit(rows, turn + 1)
                changes = Watch(bus.connection, "routes", "p").changes()
                seen = await until(changes, "live")
                assert [one.row for one in seen] == [{"n": turn}]
                await asyncio.wait_for(changes.aclose(), PATIENCE_S)  # type: ignore[attr-defined]

    asyncio.run(run())


def test_a_bucket_that_is_not_there_is_an_error() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            with pytest.raises(BrokerRefused):
                await until(aiter(Watch(bus.connection, "routes", "nobody").changes()), "live")

    asyncio.run(run())


def test_a_bucket_without_room_for_a_consumer_is_watched_all_the_same() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, running):
            store = KvStore(bus, "routes", "p")
            rows, _ = await store.load()
            for number in range(2):
                rows.put("t", (str(number),), {"n": number})
            await store.commit(rows, 4)
            assert await crowd(bus, store.bucket) == LIMIT
            watch = Watch(bus.connection, "routes", "p")
            changes = aiter(watch.changes())
            assert [one.key for one in await until(changes, "live")] == [("0",), ("1",)]
            assert watch.position == 4
            rows.delete("t", ("1",))
            await store.commit(rows, 5)
            assert await asyncio.wait_for(anext(changes), PATIENCE_S) == Change(
                table="t", key=("1",), row=None, through=5
            )
            running.kill()
            assert await until(changes, "blind") == []
            running.revive()
            assert [one.row for one in await until(changes, "live")] == [{"n": 0}, None]

    asyncio.run(run())


def test_what_somebody_else_wrote_into_a_bucket_is_passed_over() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            store = KvStore(bus, "routes", "p")
            rows, _ = await store.load()
            for number, data in enumerate((b"no row", b"[]", b'{"row": {}}', b'{"position": "9"}')):
                await bus.connection.js.publish(f"$KV.routes_p.foreign.{number}", data)
            rows.put("t", ("k",), {"n": 1})
            await store.commit(rows, 4)
            assert [one.key for one in await until(aiter(Watch(bus.connection, "routes", "p").changes()), "live")] == [
                ("k",)
            ]
            assert await read_table(bus, "routes", "p", "t") == ({("k",): {"n": 1}}, 4)
            with pytest.raises(BrokerRefused, match=r"\$KV.routes_p.foreign.0"):
                await KvStore(bus, "routes", "p").load()

    asyncio.run(run())
