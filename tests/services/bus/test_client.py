"""The short way hands over the same messages in the same order, at once, and reads headers only where they matter."""

import asyncio

from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.client import Arrived
from tests.nats_server import fresh_bus
from tests.streams import PATIENCE_S


async def settled(bus: Bus) -> None:
    """Returns once all that was published before has come back: nats-py's flush may overtake what it buffers."""
    mark = await bus.connection.nc.subscribe("mark", max_msgs=1)
    await bus.connection.nc.publish("mark", b"")
    await mark.next_msg(PATIENCE_S)


def test_messages_come_as_they_were_sent_without_headers_that_nobody_wants() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            got: list[Arrived] = []
            connection = bus.connection
            end = await connection.listen_in_bulk("plain.*", got.append)
            await connection.nc.publish("plain.é", "ü".encode(), reply="answer", headers={"A": "b"})
            await connection.nc.publish("plain.2", b"")
            await settled(bus)
            assert got == [Arrived("plain.é", "answer", "ü".encode(), None), Arrived("plain.2", "", b"", None)]
            await end()
            await connection.nc.publish("plain.3", b"")
            await settled(bus)
            assert len(got) == 2

    asyncio.run(run())


def test_headers_are_read_where_the_log_was_imported() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            got: list[Arrived] = []
            await bus.connection.listen_in_bulk("plain", got.append)
            bus.connection.imported = True
            await bus.connection.nc.publish("plain", b"", headers={"A": "b", "C": "d"})
            await settled(bus)
            assert [one.headers for one in got] == [{"A": "b", "C": "d"}]

    asyncio.run(run())


def test_what_the_broker_says_by_a_status_is_heard() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            got: list[Arrived] = []
            connection, answered = bus.connection, asyncio.Event()

            def take(message: Arrived) -> None:
                got.append(message)
                answered.set()

            await connection.listen_in_bulk("asked", take)
            await connection.nc.publish("nobody.is.here", b"", reply="asked")
            await asyncio.wait_for(answered.wait(), PATIENCE_S)
            assert [(one.headers or {}).get("Status") for one in got] == ["503"]

    asyncio.run(run())


def test_others_on_the_connection_go_their_own_way() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            got: list[Arrived] = []
            await bus.connection.listen_in_bulk("bulk", got.append)
            other = await bus.connection.nc.subscribe("other")
            await bus.connection.nc.publish("other", b"1", headers={"A": "b"})
            message = await other.next_msg(PATIENCE_S)
            assert (message.data, message.headers, got) == (b"1", {"A": "b"}, [])

    asyncio.run(run())
