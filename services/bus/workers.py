"""Jobs of a queue done several at a time, until asked to stop; those under way are finished first.

A job that fails for a reason that nobody foresaw is a defect: it is told with its trace and put back, and holds up no other.
"""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from functools import partial

from cardtrail.events.errors import Unreachable
from cardtrail.services.bus.pull import Delivered
from cardtrail.services.bus.work_queue import WorkQueue

log = logging.getLogger("cardtrail.bus")
_FAILED_S = 300.0
Work = Callable[[Delivered], Awaitable[None]]


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
