"""Standing requests end, are renewed and never asked for more than there is room; trouble ends the flow by name."""

import asyncio
import gc

import pytest
from nats.aio.msg import Msg
from nats.js.api import AckPolicy, ConsumerConfig

from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.connection import Connection
from cardtrail.services.bus.names import FACTS
from cardtrail.services.bus.pull import Interrupted, Pull, delivered
from tests.nats_server import fresh_bus
from tests.services.bus.facts import fetched
from tests.streams import PATIENCE_S


async def flow(bus: Bus, *, window: int = 10, stands_s: float = 30.0, direct: bool = False) -> Pull:
    config = ConsumerConfig(name="c", durable_name="c", ack_policy=AckPolicy.NONE)
    await bus.connection.js.add_consumer(FACTS, config)
    listen = bus.connection.listen_in_bulk if direct else bus.connection.listen
    pull = Pull(bus.connection, listen, window=window, stands_s=stands_s)
    await pull.begin(FACTS, "c", 0)
    return pull


@pytest.mark.parametrize("direct", [False, True], ids=["faststream", "in-bulk"])
def test_a_request_that_ends_in_silence_is_renewed_without_a_word(
    direct: bool, caplog: pytest.LogCaptureFixture
) -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            asked = asyncio.Semaphore(0)

            async def count(_: Msg) -> None:
                asked.release()

            await bus.connection.nc.subscribe(f"$JS.API.CONSUMER.MSG.NEXT.{FACTS}.c", cb=count)
            pull = await flow(bus, stands_s=2.1, direct=direct)
            waiting = asyncio.ensure_future(pull.take(1))
            for _ in range(2):
                await asyncio.wait_for(asked.acquire(), PATIENCE_S)
            assert not waiting.done()
            await bus.tell([fetched()])
            assert [message.sequence for message in await asyncio.wait_for(waiting, PATIENCE_S)] == [1]
            await pull.end()

    gc.collect()
    caplog.clear()  # of what the collector says of earlier tests
    asyncio.run(run())
    assert not [record for record in caplog.records if record.levelname in {"WARNING", "ERROR", "CRITICAL"}]


def test_no_more_is_under_way_than_there_is_room_for() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            await bus.tell([fetched() for _ in range(100)])
            pull = await flow(bus, window=10)
            first = await pull.take(1)
            info = await bus.connection.js.consumer_info(FACTS, "c")
            assert info.delivered is not None
            assert info.delivered.consumer_seq <= 10
            seen = len(first)
            while seen < 100:
                seen += len(await asyncio.wait_for(pull.take(7), PATIENCE_S))
            await pull.end()

    asyncio.run(run())


def test_a_deleted_consumer_ends_the_flow_at_once_and_by_name() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            pull = await flow(bus)
            taking = asyncio.ensure_future(pull.take(1))
            await asyncio.wait_for(pull.heard.wait(), PATIENCE_S)
            await bus.connection.js.delete_consumer(FACTS, "c")
            with pytest.raises(Interrupted, match="409 Consumer Deleted"):
                await asyncio.wait_for(taking, PATIENCE_S)
            await pull.end()
            await pull.begin(FACTS, "c", 0)
            with pytest.raises(Interrupted, match=r"503|no heartbeat"):
                await asyncio.wait_for(pull.take(1), PATIENCE_S)
            await pull.end()

    asyncio.run(run())


def test_a_killed_broker_ends_the_flow_at_once() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, broker):
            pull = await flow(bus)
            broker.kill()
            with pytest.raises(Interrupted, match="connection lost"):
                await asyncio.wait_for(pull.take(1), PATIENCE_S)
            with pytest.raises(Interrupted, match="no heartbeat"):
                await asyncio.wait_for(pull.take(1), PATIENCE_S)
            await pull.end()

    asyncio.run(run())


def test_a_silent_consumer_ends_the_flow_after_three_heartbeats() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            connection: Connection = bus.connection
            pull = Pull(connection, connection.listen, window=5)
            requests = asyncio.Event()

            async def swallow(_: Msg) -> None:
                requests.set()

            await connection.nc.subscribe("$JS.API.CONSUMER.MSG.NEXT.NOBODY.home", cb=swallow)
            await pull.begin("NOBODY", "home", 0)
            with pytest.raises(Interrupted, match="no heartbeat"):
                await asyncio.wait_for(pull.take(1), PATIENCE_S)
            await pull.end()
            assert requests.is_set()

    asyncio.run(run())


@pytest.mark.parametrize(
    "reply", ["$JS.ACK.S.c.2.70.7.1796067380006921697.3", "$JS.ACK.hub.acc.S.c.2.70.7.1796067380006921697.3.rnd"]
)
def test_the_sequences_are_read_from_both_forms_of_the_acknowledgement_subject(reply: str) -> None:
    message = delivered(Msg(_client=None, subject="s", reply=reply, data=b"d"))  # type: ignore[arg-type]
    assert (message.sequence, message.delivery, message.pending) == (70, 7, 3)
    assert message.stored_at.isoformat() == "2026-11-30T19:36:20.006921+00:00"
