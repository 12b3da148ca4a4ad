"""Jobs of a queue done several at a time, so many at one host, until asked to stop; those under way are finished first.

A job that cannot be finished (a disk is full) is put back for later, and holds up no other. One that fails for a reason that
nobody foresaw is a defect, which is told with its trace.
"""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from traceback import walk_tb
from weakref import WeakValueDictionary

from cardtrail.events.errors import CardtrailError, Unreachable
from cardtrail.services.bus.pull import Delivered
from cardtrail.services.bus.retried import Retried
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
    room, retried = asyncio.Semaphore(at_once), Retried(log, "jobs")
    stopping = asyncio.ensure_future(stop.wait())

    async def done(job: Delivered) -> None:
        try:
            await jobs.handled(job, partial(one, job))
        except Exception as error:  # noqa: BLE001 — a defect too must not end the others; it is told with its trace
            ours = isinstance(error, CardtrailError)
            why = f"{job.subject} failed, and comes again in {_FAILED_S:.0f} s: {error}"
            retried.failed(
                error.code if isinstance(error, CardtrailError) else _place(error), why, None if ours else error
            )
            with contextlib.suppress(Unreachable):
                await jobs.later(job, _FAILED_S)
        else:
            retried.worked()
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


def _place(error: Exception) -> str:
    """What tells one defect from another."""
    *_, (frame, line) = walk_tb(error.__traceback__)
    return f"{type(error).__name__} {frame.f_code.co_filename}:{line}"
