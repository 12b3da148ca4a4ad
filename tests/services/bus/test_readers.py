"""Readers give every fact once and in order from a position, whatever the mode, and only one instance at a time."""

import asyncio
import gc
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from nats.js.api import AckPolicy, ConsumerConfig, DeliverPolicy

from cardtrail.events.subjects import ALL
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.errors import LogMismatch, ReaderTaken
from cardtrail.services.bus.names import FACTS
from cardtrail.services.bus.readers import BULK, REPLAY, TAIL, Mode, Reader
from tests.nats_server import fresh_bus
from tests.services.bus.facts import decided, fetched
from tests.streams import PATIENCE_S

MODES = pytest.mark.parametrize("mode", [TAIL, BULK, REPLAY], ids=["tail", "bulk", "replay"])


@asynccontextmanager
async def reading(
    bus: Bus, position: int = 0, *, mode: Mode = TAIL, name: str = "r", only: str = ALL
) -> AsyncIterator[Reader]:
    reader = Reader(bus.connection, name, filter_subject=only, mode=mode)
    await reader.start(position)
    try:
        yield reader
    finally:
        await reader.close()


async def read(reader: Reader, count: int) -> list[int]:
    sequences: list[int] = []
    while len(sequences) < count:
        batch = await asyncio.wait_for(reader.batch(), PATIENCE_S)
        sequences += [message.sequence for message in batch]
        await reader.ack(batch[-1])
    return sequences


@MODES
def test_all_facts_come_once_and_in_order_from_the_position(mode: Mode) -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            await bus.tell([fetched("one-agent") for _ in range(700)])
            async with reading(bus, 200, mode=mode) as reader:
                assert await read(reader, 500) == list(range(201, 701))
                await bus.tell([fetched(), decided()])
                assert await read(reader, 2) == [701, 702]
                assert reader.pending == 0

    asyncio.run(run())


@MODES
def test_a_restart_begins_behind_the_position_it_is_given_and_not_behind_the_last_acknowledgement(mode: Mode) -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            await bus.tell([fetched() for _ in range(50)])
            async with reading(bus, mode=mode) as reader:
                await read(reader, 50)
            async with reading(bus, 10, mode=mode) as reader:
                assert await read(reader, 40) == list(range(11, 51))
                await reader.restart(45)
                assert await read(reader, 5) == list(range(46, 51))

    asyncio.run(run())


def test_a_filter_leaves_the_others_out_without_a_gap() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            await bus.tell([fetched() if number % 3 else decided(through=number) for number in range(1, 31)])
            async with reading(bus, only="cardtrail.decisions.>") as reader:
                assert await read(reader, 10) == list(range(3, 31, 3))
                assert reader.restarts == 0

    asyncio.run(run())


def test_tail_delivers_at_once_two_hundred_times_after_an_empty_wait() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _), reading(bus) as reader:
            worst = 0.0
            for _ in range(200):
                waiting = asyncio.ensure_future(reader.batch())
                await asyncio.sleep(0)
                await bus.tell([fetched()])
                stored = time.perf_counter()
                batch = await waiting
                worst = max(worst, time.perf_counter() - stored)
                await reader.ack(batch[-1])
            assert worst < 1.0

    asyncio.run(run())


def test_bulk_gathers_what_comes_within_its_linger_and_does_not_wait_until_it_is_full() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _), reading(bus, mode=replace(BULK, linger_s=2.0)) as reader:
            waiting = asyncio.ensure_future(reader.batch())
            await bus.tell([fetched()])
            await bus.tell([fetched()])
            assert len(await asyncio.wait_for(waiting, PATIENCE_S)) == 2

    asyncio.run(run())


def test_fifty_restarts_leave_one_consumer_and_a_replay_none() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            await bus.tell([fetched()])
            for _ in range(50):
                async with reading(bus) as reader:
                    await read(reader, 1)
            async with reading(bus, mode=REPLAY, name="r") as reader:
                await read(reader, 1)
            assert [one.name for one in await bus.connection.js.consumers_info(FACTS)] == ["r"]

    asyncio.run(run())


def test_a_restarted_reader_gets_the_first_new_fact_at_once_in_spite_of_a_backlog_in_flight() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            await bus.tell([fetched() for _ in range(1000)])
            async with reading(bus) as reader:
                await reader.batch()
            began = time.perf_counter()
            async with reading(bus, 1000) as reader:
                await bus.tell([fetched()])
                batch = await reader.batch()
                assert [(one.sequence, one.reply.split(".")[4]) for one in batch] == [(1001, "1")]
            assert time.perf_counter() - began < 10, "what is in flight holds it up"

    asyncio.run(run())


def test_a_second_instance_is_refused_while_the_first_one_reads() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, running), Bus(running.url) as other, reading(bus):
            with pytest.raises(ReaderTaken):
                await Reader(other.connection, "r", filter_subject=ALL, mode=TAIL).start(0)

    asyncio.run(run())


def test_an_instance_whose_reader_was_taken_over_stops_instead_of_fighting() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, running), Bus(running.url) as other, reading(bus) as first:
            await first.close()
            async with reading(other):
                with pytest.raises(ReaderTaken):
                    await first.restart(0)

    asyncio.run(run())


def test_a_consumer_with_other_settings_is_set_right_before_anything_is_read() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            await bus.tell([fetched() for _ in range(20)])
            foreign = ConsumerConfig(
                durable_name="r",
                deliver_policy=DeliverPolicy.NEW,
                ack_policy=AckPolicy.EXPLICIT,
                filter_subject="cardtrail.decisions.>",
                max_ack_pending=1,
            )
            await bus.connection.js.add_consumer(FACTS, foreign)
            async with reading(bus) as reader:
                assert await read(reader, 20) == list(range(1, 21))
                config = (await bus.connection.js.consumer_info(FACTS, "r")).config
            assert (config.ack_policy, config.deliver_policy, config.filter_subject) == ("all", "all", ALL)

    asyncio.run(run())


def test_a_store_that_is_ahead_of_the_log_is_refused() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            await bus.tell([fetched()])
            with pytest.raises(LogMismatch, match="the log ends at 1"):
                await Reader(bus.connection, "r", filter_subject=ALL, mode=TAIL).start(2)

    asyncio.run(run())


def test_a_log_that_begins_behind_what_a_store_needs_is_refused() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            js = bus.connection.js
            config = (await js.stream_info(FACTS)).config
            await js.delete_stream(FACTS)
            await js.add_stream(config, first_seq=100)
            await bus.tell([fetched()])
            with pytest.raises(LogMismatch, match="the log begins at 100"):
                await Reader(bus.connection, "r", filter_subject=ALL, mode=TAIL).start(5)
            async with reading(bus, 99) as reader:
                assert await read(reader, 1) == [100]

    asyncio.run(run())


def test_a_reader_that_nobody_feeds_is_heard_of_by_its_heartbeat_alone() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _), reading(bus) as reader:
            waiting = asyncio.ensure_future(reader.batch())
            while not reader.heard_at:
                await asyncio.wait({waiting}, timeout=0.1)
            assert reader.restarts == 0
            await bus.tell([fetched()])
            await waiting

    asyncio.run(run())


def test_a_hundred_restarts_leave_nothing_behind_in_the_client() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _), reading(bus) as reader:
            for _ in range(100):
                await reader.restart(0)
            gc.collect()
            assert len(list(bus.connection.broker.subscribers)) <= 2
            assert len(bus.connection.nc._subs) <= 3  # noqa: SLF001 — nats-py has no public count

    asyncio.run(run())
