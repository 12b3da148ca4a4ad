"""Two instances of one reader or queue: the one at work is left alone; what one had that is gone, or stood still, is free."""

import asyncio
import time
from collections.abc import Sequence
from datetime import UTC, datetime

import pytest
from nats.js.api import ConsumerInfo

from cardtrail.events.subjects import ALL
from cardtrail.projections.projection import Rows
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.errors import BrokerUnreachable, ReaderTaken
from cardtrail.services.bus.names import FACTS, SCHEDULES
from cardtrail.services.bus.progress import Progress
from cardtrail.services.bus.readers import TAIL, Reader
from cardtrail.services.bus.runner import run_deriver
from cardtrail.services.bus.schedules import Due, read_due, schedule
from cardtrail.services.bus.stores import MemoryStore
from cardtrail.services.bus.streams import DUE_SUBJECTS
from cardtrail.services.bus.work_queue import WorkQueue
from tests.nats_server import fresh_bus
from tests.services.bus.facts import Echo, fetched
from tests.streams import PATIENCE_S

BACKLOG = 2 * TAIL.window


def reader(bus: Bus) -> Reader:
    return Reader(bus.connection, "r", filter_subject=ALL, mode=TAIL)


async def nothing_stands(bus: Bus) -> ConsumerInfo:
    """The consumer once all that was asked for is under way."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            info: ConsumerInfo = await bus.connection.js.consumer_info(FACTS, "r")
            if not info.num_waiting:
                return info
            await asyncio.sleep(0.01)


def test_one_that_has_its_hands_full_keeps_its_place() -> None:
    async def run() -> None:
        async with fresh_bus(holding=(fetched() for _ in range(BACKLOG))) as (bus, server), Bus(server.url) as other:
            first = reader(bus)
            await first.start(0)
            seen = len(await first.batch())
            assert (await nothing_stands(bus)).num_ack_pending
            with pytest.raises(ReaderTaken):
                await reader(other).claim()
            while seen < BACKLOG:
                seen += len(await first.batch())
            assert (seen, first.restarts) == (BACKLOG, 0)
            await first.close()

    asyncio.run(run())


def test_the_place_of_one_that_died_in_the_middle_of_a_batch_is_free_at_once() -> None:
    async def run() -> None:
        async with fresh_bus(holding=(fetched() for _ in range(BACKLOG))) as (bus, server):
            async with Bus(server.url) as doomed:
                first = reader(doomed)
                await first.start(0)
                await first.batch()
            began = time.perf_counter()
            await reader(bus).claim()
            assert time.perf_counter() - began < 10, "its request stands for 30 s"

    asyncio.run(run())


def jobs(bus: Bus, ack_wait_s: float = 600.0) -> WorkQueue:
    subject = f"{DUE_SUBJECTS}.*.refresh.>"
    return WorkQueue(bus.connection, SCHEDULES, "due_refresh", filter_subject=subject, ack_wait_s=ack_wait_s)


async def fire(bus: Bus, *agents: str) -> None:
    await schedule(bus, [Due(what="refresh", due=datetime.now(UTC), agent=agent) for agent in agents])


def test_no_job_waits_in_one_that_has_no_hand_for_it() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, server), Bus(server.url) as other:
            await fire(bus, "a", "b", "c", "d")
            busy, free = jobs(bus), jobs(other)
            held = [await busy.take(), *[await asyncio.wait_for(free.take(), PATIENCE_S) for _ in range(3)]]
            seen = [read_due(job.data).agent for job in held]
            assert sorted(seen) == ["a", "b", "c", "d"]
            await asyncio.gather(busy.close(), free.close())

    asyncio.run(run())


def test_one_that_stood_still_gives_up_the_job_that_another_has_by_now() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            await fire(bus, "a")
            slow, told = jobs(bus, 2.0), []
            job = await slow.take()

            async def work() -> None:
                async with slow.held(job):
                    time.sleep(2.2)  # noqa: ASYNC251 — nothing in this process goes on, as under SIGSTOP
                    await asyncio.sleep(0.1)
                    told.append(job)

            with pytest.raises(BrokerUnreachable, match="stood still"):
                await work()
            assert not told
            again = await asyncio.wait_for(slow.take(), PATIENCE_S)
            assert (again.sequence, again.delivery) == (job.sequence, 2)
            async with slow.held(again):
                await asyncio.sleep(2.4)  # a job in hand may take longer than a silent one is waited for
            await slow.done(again)
            await slow.close()

    asyncio.run(run())


async def taken_over(bus: Bus) -> Reader:
    """The reader "echo" of another instance, as if the first one's request had ended while it stood still."""
    await bus.connection.js.delete_consumer(FACTS, "echo")
    other = Reader(bus.connection, "echo", filter_subject=ALL, mode=TAIL)
    await other.start(0)
    return other


def test_what_one_had_in_hand_when_it_stood_still_is_told_by_nobody_else_than_who_has_its_place() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, server), Bus(server.url) as elsewhere:
            in_hand, resumed, store, seen = asyncio.Event(), asyncio.Event(), MemoryStore(), Progress()

            async def prepare(_: Sequence[bytes], __: Rows) -> None:
                in_hand.set()
                await resumed.wait()

            await bus.tell([fetched()])
            first = asyncio.create_task(run_deriver(bus, Echo(), store, prepare=prepare, progress=seen))
            await in_hand.wait()
            await seen.confirmed()
            other = await taken_over(elsewhere)
            with pytest.raises(ReaderTaken):
                await seen.confirmed()
            await asyncio.sleep(3.1)
            resumed.set()
            with pytest.raises(ReaderTaken):
                await first
            assert ((await bus.info()).last, store.position, seen.mine) == (1, 0, False)
            await other.close()

    asyncio.run(run())


def test_on_an_empty_log_too_nobody_begins_beside_a_run_that_has_no_reader() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, server), Bus(server.url) as elsewhere:
            at_work, waits, stop = Progress(), Progress(), asyncio.Event()
            first = asyncio.create_task(run_deriver(bus, Echo(), MemoryStore(), stop=stop, progress=at_work))
            await at_work.reaches(0)
            acts = asyncio.create_task(waits.reaches(0))
            with pytest.raises(ReaderTaken):
                await run_deriver(elsewhere, Echo(), MemoryStore(), progress=waits)
            assert not acts.done()
            stop.set()
            await first
            acts.cancel()
            await asyncio.gather(acts, return_exceptions=True)

    asyncio.run(run())
