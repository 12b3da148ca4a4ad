"""The next facts are applied while a batch is committed, and what is committed is that batch and nothing of the next."""

import asyncio
from contextlib import suppress

import pytest

from cardtrail.events.errors import Unreachable, UsageError
from cardtrail.projections.projection import Rows
from cardtrail.services.bus.progress import Progress
from cardtrail.services.bus.readers import Mode
from cardtrail.services.bus.runner import run_fold
from cardtrail.services.bus.stores import MemoryStore
from tests.nats_server import fresh_bus
from tests.services.bus.facts import Numbers, fetched
from tests.streams import PATIENCE_S

AHEAD = Mode(window=40, most=20, direct=True, ahead=True)


class Slow(MemoryStore):
    """Writes only when it may, and remembers the position and the numbers of each commit."""

    def __init__(self) -> None:
        super().__init__()
        self.asked, self.may = asyncio.Event(), asyncio.Event()
        self.commits: list[tuple[int, list[int]]] = []
        self.failures: list[Exception] = []

    async def commit(self, rows: Rows, position: int) -> None:
        self.asked.set()
        await self.may.wait()
        if self.failures:
            raise self.failures.pop()
        await super().commit(rows, position)
        self.commits.append((position, self.tables["numbers"][("a",)]["seen"]))


def test_what_is_applied_during_a_commit_is_not_in_it() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            await bus.tell([fetched("a", number) for number in range(1, 101)])
            store, stop, seen, applied = Slow(), asyncio.Event(), Progress(), asyncio.Event()

            class Watched(Numbers):
                def apply(self, stored, rows) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
                    super().apply(stored, rows)
                    if stored.sequence == 40:
                        applied.set()

            task = asyncio.ensure_future(run_fold(bus, Watched(), store, mode=AHEAD, stop=stop, progress=seen))
            await asyncio.wait_for(applied.wait(), PATIENCE_S)
            assert (store.position, seen.position) == (0, 0)
            store.may.set()
            await asyncio.wait_for(seen.reaches(100), PATIENCE_S)
            stop.set()
            await asyncio.wait_for(task, PATIENCE_S)
            assert all(numbers == list(range(1, position + 1)) for position, numbers in store.commits)
            assert [store.commits[0][0], store.commits[-1][0]] == [20, 100]

    asyncio.run(run())


def test_a_commit_that_fails_beside_the_next_batch_loses_and_doubles_nothing() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            await bus.tell([fetched("a", number) for number in range(1, 101)])
            store, stop, seen = Slow(), asyncio.Event(), Progress()
            store.may.set()
            store.failures = [Unreachable("away", "the store is away") for _ in range(3)]
            task = asyncio.ensure_future(run_fold(bus, Numbers(), store, mode=AHEAD, stop=stop, progress=seen))
            await asyncio.wait_for(seen.reaches(100), PATIENCE_S)
            stop.set()
            await asyncio.wait_for(task, PATIENCE_S)
            assert store.tables["numbers"][("a",)]["seen"] == list(range(1, 101))

    asyncio.run(run())


def test_a_commit_that_fails_while_no_fact_comes_ends_the_run_at_once() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            await bus.tell([fetched("a")])
            store = Slow()
            store.failures = [UsageError("no", "the store will never take it")]
            task = asyncio.ensure_future(run_fold(bus, Numbers(), store, mode=AHEAD))
            await asyncio.wait_for(store.asked.wait(), PATIENCE_S)
            store.may.set()
            with pytest.raises(UsageError):
                await asyncio.wait_for(task, PATIENCE_S)

    asyncio.run(run())


def test_a_commit_under_way_when_the_run_is_stopped_or_given_up_is_ended_first() -> None:
    async def run(*, cancelled: bool) -> None:
        async with fresh_bus() as (bus, _):
            await bus.tell([fetched("a", 1)])
            store, stop = Slow(), asyncio.Event()
            task = asyncio.ensure_future(run_fold(bus, Numbers(), store, mode=AHEAD, stop=stop))
            await asyncio.wait_for(store.asked.wait(), PATIENCE_S)
            if cancelled:
                task.cancel()
            else:
                stop.set()
            store.may.set()
            with suppress(asyncio.CancelledError):
                await asyncio.wait_for(task, PATIENCE_S)
            assert store.commits == [(1, [1])]

    asyncio.run(run(cancelled=False))
    asyncio.run(run(cancelled=True))


def test_a_run_whose_commit_hangs_is_silent_although_the_broker_keeps_beating() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            await bus.tell([fetched("a")])
            store, stop, seen = Slow(), asyncio.Event(), Progress()
            task = asyncio.ensure_future(run_fold(bus, Numbers(), store, mode=AHEAD, stop=stop, progress=seen))
            await asyncio.wait_for(store.asked.wait(), PATIENCE_S)
            assert seen.reader is not None
            for _ in range(2):
                await asyncio.wait_for(seen.reader.hears(), PATIENCE_S)
            assert seen.silent_s(seen.reader.heard_at) > 0.5
            store.may.set()
            await asyncio.wait_for(seen.reaches(1), PATIENCE_S)
            assert seen.silent_s(seen.reader.heard_at) == 0
            stop.set()
            await asyncio.wait_for(task, PATIENCE_S)

    asyncio.run(run())
