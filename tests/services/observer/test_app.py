"""The observer on a real broker: killed between two steps, it tells every report once and no other."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from cardtrail.events import AgentTracked, CallsCounted, LockfilePinned
from cardtrail.events.agent_tracked import Target
from cardtrail.events.fact import dump
from cardtrail.events.model.report import Call, Report
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.kv_store import KvStore
from cardtrail.services.bus.names import REPORTS
from cardtrail.services.observer import app
from cardtrail.services.observer.app import NAME
from cardtrail.services.service import Context
from cardtrail.services.settings import LimitSettings, Settings
from cardtrail.services.wire.request import OPERATIONS
from tests.nats_server import Server, fresh_bus
from tests.projections.facts import compiled, full, lock, profile
from tests.projections.log import Log
from tests.streams import PATIENCE_S


@contextlib.asynccontextmanager
async def observing(server: Server, folder: Path, settings: Settings | None = None) -> AsyncIterator[Context]:
    """The service, killed (not asked to stop) at the end."""
    async with Bus(server.url, name="observer") as bus:
        context = Context(
            name="observer", settings=settings or Settings(), bus=bus, folder=folder, stop=asyncio.Event()
        )
        task = asyncio.create_task(app.run(context))
        try:
            yield context
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


async def ready(bus: Bus) -> None:
    """An agent with a profile and a lock."""
    log = Log()
    log.tell(AgentTracked(agent="pricing", target=Target(kind="card-url", value="https://p.example/c")))
    compiled(log, full(log, "d"), profile())
    log.tell(LockfilePinned(agent="pricing", workflow="trip", lockfile=lock(), lock_digest="x"))
    await bus.tell([stored.fact for stored in log.facts])


async def publish(bus: Bus, first: int, last: int) -> None:
    for number in range(first, last):
        at = "2026-11-30T12:00:00Z"
        made = Report(id=f"r{number}", agent="pricing", workflow="trip", calls=(Call(at=at, operation="SendMessage"),))
        await bus.connection.js.publish("cardtrail.reports.public.trip", dump(made))


async def published(bus: Bus) -> int:
    return int((await bus.connection.js.stream_info(REPORTS)).state.last_seq)


async def counted(bus: Bus) -> int:
    last = (await bus.info()).last
    facts = [await bus.at(sequence) for sequence in range(1, last + 1)]
    return sum(one.fact.data.calls for one in facts if one and isinstance(one.fact.data, CallsCounted))


@contextlib.contextmanager
def told(words: str) -> Iterator[asyncio.Event]:
    """Set once a line of the bus says so."""
    said, log = asyncio.Event(), logging.getLogger("cardtrail.bus")

    class Hears(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if words in record.getMessage():
                said.set()

    hears, before = Hears(), log.level
    log.addHandler(hears)
    log.setLevel(logging.INFO)
    try:
        yield said
    finally:
        log.removeHandler(hears)
        log.setLevel(before)


def test_reports_are_counted_once_however_often_the_observer_dies(tmp_path: Path) -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, server):
            await ready(bus)
            await publish(bus, 0, 40)
            for round_ in range(6):
                async with observing(server, tmp_path) as context:
                    progress = context.watched("reports")
                    if round_ < 5:  # die wherever the work stands then
                        with contextlib.suppress(TimeoutError):
                            await asyncio.wait_for(progress.moved.wait(), 0.15 * round_ + 0.05)
                        await publish(bus, 40 + 10 * round_, 50 + 10 * round_)
                        continue
                    await progress.reaches(await published(bus))
            assert await counted(bus) == 90

    asyncio.run(run())


@pytest.mark.parametrize("gone", [0, 5])
def test_behind_reports_that_were_begun_others_are_counted_at_once_also_where_those_are_gone_from_the_queue(
    gone: int, tmp_path: Path
) -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, server):
            await ready(bus)
            await publish(bus, 0, 10)
            store = KvStore(bus, "reports", NAME)
            rows, _ = await store.load()
            rows.put("batch", ("-",), {"through": 5})  # begun by a process that died
            await store.commit(rows, 0)
            if gone:
                await bus.connection.js.purge_stream(REPORTS, seq=gone + 1)  # the broker has let go of them since
            async with observing(server, tmp_path) as context:
                await asyncio.wait_for(context.watched("reports").reaches(10), PATIENCE_S)
            assert await counted(bus) == 10 - gone

    asyncio.run(run())


def test_reports_of_every_minute_of_the_hour_fill_the_log_only_so_far_and_a_restart_forgets_nothing(
    tmp_path: Path,
) -> None:
    bounded = Settings(limits=LimitSettings(report_facts=100))

    async def run() -> None:
        async with fresh_bus() as (bus, server):
            await ready(bus)
            before, began = (await bus.info()).last, datetime.now(UTC)
            for told in (1, 2):
                now = datetime.now(UTC)
                minutes = [(now - timedelta(minutes=ago)).isoformat() for ago in range(60)]
                calls = tuple(
                    Call(at=at, operation=operation) for at in minutes for operation in sorted(OPERATIONS)[:4]
                )
                made = Report(id=f"r{told}", agent="pricing", workflow="trip", calls=calls)
                await bus.connection.js.publish("cardtrail.reports.public.trip", dump(made))
                async with observing(server, tmp_path, bounded) as context:
                    await asyncio.wait_for(context.watched("reports").reaches(told), PATIENCE_S)
                    (alarm,), facts = context.alarms, (await bus.info()).last - before
                    if datetime.now(UTC).hour == began.hour:
                        assert (facts, f"{240 * told - 100} more" in alarm) == (100, True)
                    assert facts <= 200

    asyncio.run(run())


def test_a_second_observer_waits_for_its_place(tmp_path: Path) -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, server):
            await ready(bus)
            async with observing(server, tmp_path) as first:
                await first.watched("known").reaches((await bus.info()).last)
                await publish(bus, 0, 1)
                await first.watched("reports").reaches(1)
                held = await bus.connection.js.consumer_info(REPORTS, NAME)
                with told("waiting for its place") as refused:
                    async with observing(server, tmp_path / "b") as second:
                        await refused.wait()
                        assert (await bus.connection.js.consumer_info(REPORTS, NAME)).created == held.created
                        await publish(bus, 1, 30)
                        await first.watched("reports").reaches(await published(bus))
                        assert second.watched("reports").position == 0
            assert await counted(bus) == 30

    asyncio.run(run())
