"""What is due fires once, to one of those who share the work, also over a kill -9."""

import asyncio
from contextlib import suppress
from datetime import UTC, datetime, timedelta

import pytest

from cardtrail.events import DeadlinePassed
from cardtrail.events.errors import EventRefused
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.errors import BrokerUnreachable
from cardtrail.services.bus.names import SCHEDULES
from cardtrail.services.bus.pull import Delivered
from cardtrail.services.bus.schedules import Due, cancel, passed, queue, read_due, schedule
from cardtrail.services.bus.work_queue import WorkQueue
from cardtrail.services.bus.workers import work
from tests.nats_server import fresh_bus
from tests.streams import PATIENCE_S


def due(agent: str, in_s: float, **more: str) -> Due:
    return Due(what="refresh", due=datetime.now(UTC) + timedelta(seconds=in_s), agent=agent, host="h.example", **more)


async def fired(jobs: WorkQueue, count: int) -> list[str]:
    agents: list[str] = []
    while len(agents) < count:
        job = await asyncio.wait_for(jobs.take(), PATIENCE_S)
        agents.append(read_due(job.data).agent)
        await jobs.done(job)
    return agents


async def all_fired(jobs: WorkQueue, count: int) -> set[str]:
    """So many, through whatever happens: one whose end the broker was not told of comes again."""
    agents: set[str] = set()
    while len(agents) < count:
        job = await jobs.take()
        agents.add(read_due(job.data).agent)
        with suppress(BrokerUnreachable):
            await jobs.done(job)
    return agents


async def silent(jobs: WorkQueue, for_s: float) -> bool:
    try:
        await asyncio.wait_for(jobs.take(), for_s)
    except TimeoutError:
        return True
    return False


def test_what_is_due_fires_once_at_its_time_and_what_is_past_at_once() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            await schedule(bus, [due("soon", 1.0), due("past", -60), due("later", 3600)])
            jobs = queue(bus, "refresh")
            assert await fired(jobs, 2) == ["past", "soon"]
            assert await silent(jobs, 0.5)
            await jobs.close()

    asyncio.run(run())


def test_a_new_instant_takes_the_place_of_the_old_one_and_a_cancelled_one_never_comes() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            await schedule(bus, [due("moved", 3600), due("cancelled", 2.0)])
            await cancel(bus, due("cancelled", 0))
            await cancel(bus, due("never set", 0))
            await schedule(bus, [due("moved", 0.2)])
            jobs = queue(bus, "refresh")
            assert await fired(jobs, 1) == ["moved"]
            assert await silent(jobs, 2.0)
            assert (await bus.connection.js.stream_info(SCHEDULES)).state.messages == 0
            await jobs.close()

    asyncio.run(run())


def test_two_workers_share_the_jobs_and_none_is_done_twice() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, running), Bus(running.url) as other:
            await schedule(bus, [due(f"agent-{number}", -1) for number in range(40)])
            done: list[list[str]] = [[], []]
            workers = [queue(one, "refresh") for one in (bus, other)]

            async def work(which: int) -> None:
                while sum(map(len, done)) < 40:
                    job = await workers[which].take()
                    done[which].append(read_due(job.data).agent)
                    await workers[which].done(job)

            tasks = [asyncio.ensure_future(work(which)) for which in range(2)]
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED, timeout=PATIENCE_S)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, *(worker.close() for worker in workers), return_exceptions=True)
            assert sorted(done[0] + done[1]) == sorted(f"agent-{number}" for number in range(40))
            assert min(map(len, done)) > 0

    asyncio.run(run())


def test_a_job_put_back_comes_again_after_its_delay() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            await schedule(bus, [due("a", -1)])
            jobs = queue(bus, "refresh")
            job = await jobs.take()
            await jobs.working(job)
            await jobs.later(job, 0.3)
            assert await fired(jobs, 1) == ["a"]
            await jobs.close()

    asyncio.run(run())


def test_queues_do_not_see_each_others_jobs() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            grace = Due(what="grace", due=datetime.now(UTC), agent="g", workflow="w")
            probe = Due(what="probe", due=datetime.now(UTC), agent="p")
            await schedule(bus, [grace, probe, due("r", 0)])
            for name, agent in (("clock", "g"), ("probe", "p"), ("refresh", "r")):
                jobs = queue(bus, name)  # type: ignore[arg-type]
                assert await fired(jobs, 1) == [agent]
                assert await silent(jobs, 0.2)
                await jobs.close()

    asyncio.run(run())


def test_jobs_come_through_a_killed_broker_and_a_deleted_consumer() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, running):
            jobs = queue(bus, "refresh")
            waiting = asyncio.ensure_future(all_fired(jobs, 60))
            await schedule(bus, [due(f"agent-{number}", 0.2 + number / 30) for number in range(60)])
            await asyncio.wait({waiting}, timeout=0.7)
            running.kill()
            running.revive()
            await asyncio.wait({waiting}, timeout=0.7)
            await bus.connection.connected.wait()
            await bus.connection.js.delete_consumer(SCHEDULES, "due_refresh")
            assert await asyncio.wait_for(waiting, PATIENCE_S) == {f"agent-{number}" for number in range(60)}
            await jobs.close()

    asyncio.run(run())


def test_the_same_instant_gives_the_same_fact_however_often_it_fires() -> None:
    one = Due(what="grace", due=datetime(2026, 11, 1, tzinfo=UTC), agent="a", workflow="w", principal="p")
    now = datetime(2026, 11, 2, tzinfo=UTC)
    assert passed(one, now).id == passed(one, now + timedelta(days=1)).id
    assert passed(one, now).id != passed(one.model_copy(update={"workflow": "v"}), now).id
    assert passed(one, now).data == DeadlinePassed(
        what="grace", due="2026-11-01T00:00:00.000Z", agent="a", workflow="w", principal="p"
    )


@pytest.mark.parametrize("data", [b"", b"{}", b'{"what": "dance"}', b"[1]"])
def test_a_job_that_is_none_is_refused(data: bytes) -> None:
    with pytest.raises(EventRefused):
        read_due(data)


def test_a_job_that_fails_is_put_back_with_a_word_and_ends_no_other(caplog: pytest.LogCaptureFixture) -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            await schedule(bus, [due(name, -1) for name in ("one", "bad", "two", "three")])
            jobs, stop, finished = queue(bus, "refresh"), asyncio.Event(), asyncio.Queue[str]()

            async def one(job: Delivered) -> None:
                name = read_due(job.data).agent
                if name == "bad":
                    finished.put_nowait(name)
                    raise ZeroDivisionError
                await jobs.done(job)
                finished.put_nowait(name)

            working = asyncio.create_task(work(jobs, one, stop, at_once=1))
            async with asyncio.timeout(PATIENCE_S):
                seen = {await finished.get() for _ in range(4)}
            stop.set()
            await working
            assert seen == {"one", "bad", "two", "three"}
            info = await bus.connection.js.consumer_info(SCHEDULES, "due_refresh")
            assert (info.num_ack_pending, info.num_pending) == (1, 0), "it is still somebody's to do"

    asyncio.run(run())
    (told,) = [record for record in caplog.records if record.name == "cardtrail.bus" and record.exc_info]
    assert "bad" in told.getMessage()
