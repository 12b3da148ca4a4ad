"""One process of several does a thing; the others wait for its place. And how tasks beside each other end."""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

from cardtrail.services.bus.errors import ReaderTaken, StaleWriter, StoreInUse

log = logging.getLogger("cardtrail.bus")
_T = TypeVar("_T")
_TAKEN_S = 5.0
_HEARD_S = 1.0


async def alone(run: Callable[[], Awaitable[None]], stop: asyncio.Event) -> None:
    """Run until `stop`; while another process holds the reader or the store, try again every few seconds, and say so once."""
    said = ""
    while not stop.is_set():
        try:
            await run()
        except (ReaderTaken, StaleWriter, StoreInUse) as taken:
            log.log(logging.DEBUG if str(taken) == said else logging.INFO, "%s; waiting for its place", taken)
            said = str(taken)
            await pause(stop, _TAKEN_S)


async def first(*tasks: asyncio.Task[None]) -> None:
    """Run tasks beside each other until one of them ends, then end the others; raises what that one raised."""
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            await task
    finally:
        await ended(*tasks)


async def ended(*tasks: asyncio.Task[Any]) -> None:
    """Cancel until it has been heard: nats-py waits by `wait_for`, which loses a cancellation that meets a result."""
    while left := [task for task in tasks if not task.done()]:
        for task in left:
            task.cancel()
        await asyncio.wait(left, timeout=_HEARD_S)
    await asyncio.gather(*tasks, return_exceptions=True)


async def pause(stop: asyncio.Event, seconds: float) -> None:
    """Wait so long, or until `stop`."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await stop.wait()


async def unless(
    stop: asyncio.Event, work: Coroutine[Any, Any, _T], beside: asyncio.Task[None] | None = None
) -> _T | None:
    """The work's result, or None when `stop` came first and the work was given up; raises what fails `beside` it, too."""
    task, stopped = asyncio.ensure_future(work), asyncio.ensure_future(stop.wait())
    waits: set[asyncio.Future[Any]] = {task, stopped} if beside is None else {task, stopped, beside}
    try:
        while not (task.done() or stopped.done()):
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            if beside in waits and beside.done():
                waits.discard(beside)
                beside.result()
        return task.result() if task.done() else None
    finally:
        stopped.cancel()
        await ended(task)  # also what it failed by, where something beside it failed first


async def over(work: asyncio.Task[None] | None) -> None:
    """Returns when it has ended, however it ends: nothing may begin anew while it is under way."""
    if work is not None:
        await asyncio.gather(work, return_exceptions=True)
