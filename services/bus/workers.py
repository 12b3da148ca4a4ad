"""Jobs of a queue done several at a time, so many at one host, until asked to stop; those under way are finished first.

A job that fails for a reason that nobody foresaw is a defect: it is told with its trace and put back, and holds up no other.
"""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from weakref import WeakValueDictionary

from cardtrail.events.errors import Unreachable
from cardtrail.services.bus.pull import Delivered
from cardtrail.services.bus.work_queue import WorkQueue

log = logging.getLogger("cardtrail.bus")
_FAILED_S = 300.0
Work = Callable[[Delivered], Awaitable[None]]


class Hosts:
    """At most so many jobs at once at each host; `len` is the number of hosts where there are any: others are not remembered."""

    def __init__(self, at_once: int) -> None:
        """Nobody is at work."""
        self._at_once = at_once
        self._rooms: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()

    def __len__(self) -> int:
        """How many hosts there is work at, or wait for it."""
        return len(self._rooms)

    @contextlib.asynccontextmanager
    async def room(self, host: str) -> AsyncIterator[None]:
        """Wait until there is room for one more job at this host."""
        room = self._rooms.setdefault(host, asyncio.Semaphore(self._at_once))
        async with room:
            yield


async def work(jobs: WorkQueue, one: Work, stop: asyncio.Event, *, at_once: int) -> None:
    """Hand every job to `one`, at most `at_once` at a time; `one` says itself when a job is done."""
    room = asyncio.Semaphore(at_once)
    stopping = asyncio.ensure_future(stop.wait())

    async def done(job: Delivered) -> None:
        try:
            await jobs.handled(job, partial(one, job))
        except Exception:
            log.exception("%s failed, and comes again in %d s", job.subject, _FAILED_S)
            with contextlib.suppress(Unreachable):
                await jobs.later(job, _FAILED_S)
        finally:
            room.release()

    try:
        async with asyncio.TaskGroup() as tasks:
            while not stop.is_set():
                await room.acquire()
                taking = asyncio.ensure_future(jobs.take())
                await asyncio.wait({taking, stopping}, return_when=asyncio.FIRST_COMPLETED)
                if not taking.done():
                    taking.cancel()
                    break
                tasks.create_task(done(taking.result()))
    finally:
        stopping.cancel()
        await jobs.close()
