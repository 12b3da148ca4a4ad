"""Long work as a person sees it: after a second, how far, how fast, how long still."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from time import monotonic

from cardtrail.services.bus.progress import Progress
from cardtrail.services.cli.live.when import long_span

Say = Callable[[str], None]
_TICK_S, _QUIET_S = 0.25, 1.0


@asynccontextmanager
async def watched(what: str, last: int, say: Say) -> AsyncIterator[Progress]:
    """Say every quarter of a second where `position` stands between the log's beginning and its sequence `last`."""
    seen = Progress()
    ticking = asyncio.create_task(_tick(what, last, say, seen))
    try:
        yield seen
    finally:
        ticking.cancel()
        await asyncio.gather(ticking, return_exceptions=True)


async def _tick(what: str, last: int, say: Say, seen: Progress) -> None:
    started = monotonic()
    await asyncio.sleep(_QUIET_S)
    try:
        while True:
            rate = seen.position / (monotonic() - started)
            left = f", {long_span(max(last - seen.position, 0) / rate)} left" if rate else ""
            say(f"{what}: {seen.position:,} of {last:,} facts, {rate:,.0f}/s{left}")
            await asyncio.sleep(_TICK_S)
    finally:
        say("")
