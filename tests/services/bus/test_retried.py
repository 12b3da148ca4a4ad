"""A failure that comes again and again is said once, then seldom with a count, and once when it is over."""

import asyncio
import logging
from collections.abc import Iterator
from contextlib import contextmanager

from cardtrail.events.errors import Unreachable
from cardtrail.projections.projection import Rows
from cardtrail.services.bus.progress import Progress
from cardtrail.services.bus.retried import Retried
from cardtrail.services.bus.runner import run_fold
from cardtrail.services.bus.stores import MemoryStore
from tests.nats_server import fresh_bus
from tests.services.bus.facts import Numbers, fetched
from tests.streams import PATIENCE_S

log = logging.getLogger("cardtrail.test.retried")


class Heard(logging.Handler):
    """What was said, and an event for the word that it is over."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self.over = asyncio.Event()

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())
        if "works again" in self.lines[-1]:
            self.over.set()


@contextmanager
def heard(log: logging.Logger = log) -> Iterator[Heard]:
    handler = Heard()
    log.addHandler(handler)
    log.propagate = False
    try:
        yield handler
    finally:
        log.propagate = True
        log.removeHandler(handler)


def test_ten_hours_of_a_full_disk_are_a_line_each_ten_minutes_and_one_at_the_end() -> None:
    async def run() -> None:
        now = 0.0
        with heard() as told:
            retried = Retried(log, "facts", quiet_s=0.0, clock=lambda: now)
            while now < 36_000:
                retried.failed("log-full", "the disk is full")
                now += 0.5
            assert told.lines[0] == "facts: the disk is full; tried again until it works"
            assert told.lines[1] == "facts: the disk is full; failed 1201 times within 600 s"
            assert len(told.lines) == 60
            retried.worked()
            await told.over.wait()
            assert told.lines[60:] == ["facts: works again; failed 72000 times within 36000 s"]
            retried.worked()
            retried.failed("log-full", "the disk is full")
            assert told.lines[61:] == ["facts: the disk is full; tried again until it works"]

    asyncio.run(run())


def test_another_failure_is_said_at_once_and_one_that_alternates_with_it_is_not_said_again() -> None:
    async def run() -> None:
        with heard() as told:
            retried = Retried(log, "looks", clock=lambda: 0.0)
            for _ in range(50):
                retried.failed("log-full", "full")
                retried.failed("broker-unreachable", "away")
            assert [line.partition(";")[0] for line in told.lines] == ["looks: full", "looks: away"]

    asyncio.run(run())


def test_what_works_now_and_then_is_one_trouble_until_it_keeps_working() -> None:
    async def run() -> None:
        with heard() as told:
            retried = Retried(log, "looks", quiet_s=0.01)
            for _ in range(50):
                retried.failed("log-full", "full")
                retried.worked()
            await told.over.wait()
            assert [line.partition(" within")[0] for line in told.lines] == [
                "looks: full; tried again until it works",
                "looks: works again; failed 50 times",
            ]

    asyncio.run(run())


class Full(MemoryStore):
    """A store on a disk that is full for so many commits."""

    def __init__(self, tries: int) -> None:
        super().__init__()
        self.left, self.seen = tries, list[str]()

    async def commit(self, rows: Rows, position: int) -> None:
        self.seen.append(self.progress.failing)
        if self.left:
            self.left -= 1
            raise Unreachable("store-failed", "no space left on device")
        await super().commit(rows, position)

    progress: Progress


def test_a_run_that_cannot_commit_says_so_once_and_shows_it_for_as_long_as_that_lasts() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            last = (await bus.tell([fetched("a", 1)]))[-1]
            store, stop = Full(5), asyncio.Event()
            store.progress = Progress()
            with heard(logging.getLogger("cardtrail.bus")) as told:
                running = asyncio.create_task(run_fold(bus, Numbers(), store, stop=stop, progress=store.progress))
                await asyncio.wait_for(store.progress.reaches(last), PATIENCE_S)
                stop.set()
                await running
            assert store.seen == ["", *["no space left on device"] * 5]
            assert store.progress.failing == ""
            warned = [line for line in told.lines if "no space" in line]
            assert warned == ["numbers_kv: no space left on device; tried again until it works"]

    asyncio.run(run())
