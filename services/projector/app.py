"""The projector's process: each projection into its stores, each store with a reader and a position of its own."""

import asyncio

from cardtrail.events.fact import PUBLIC
from cardtrail.projections import PROJECTIONS
from cardtrail.projections.one_principal import OnePrincipal
from cardtrail.projections.projection import Rows
from cardtrail.projections.together import kept_in
from cardtrail.services.bus.alone import alone, ended, unless
from cardtrail.services.bus.progress import Progress
from cardtrail.services.bus.runner import run_fold
from cardtrail.services.bus.stores import MemoryStore
from cardtrail.services.projector.archive import keep
from cardtrail.services.projector.bucket import keep_bucket
from cardtrail.services.projector.principals import Principals, principals
from cardtrail.services.projector.seal import seal
from cardtrail.services.service import Context

TRACKED, PINNED = "cardtrail.events.*.*.*.agent-tracked.>", "cardtrail.events.*.*.*.lockfile-pinned.>"

Found = asyncio.Queue[set[str]]
"""The principals that one kind of facts names, again at each commit."""


async def run(context: Context) -> None:
    """Keep every projection up to date until asked to stop, unless another projector does."""
    await alone(lambda: _project(context), context.stop)


async def _project(context: Context) -> None:
    """All of it has one place, that of its first reader: two projectors never share the stores between them."""
    place, found = Progress(), Found()
    first = asyncio.create_task(_discover(context, "tracked", TRACKED, found, place))
    rest = asyncio.create_task(_rest(context, found, place))
    try:
        await asyncio.gather(first, rest)
    finally:
        await ended(first, rest)


async def _rest(context: Context, found: Found, place: Progress) -> None:
    await unless(context.stop, place.begun())
    if context.stop.is_set():
        return
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(alone(lambda: keep(context), context.stop))
        tasks.create_task(seal(context))
        tasks.create_task(alone(lambda: _discover(context, "pinned", PINNED, found, Progress()), context.stop))
        started: set[str] = set()
        wanted: set[str] | None = {PUBLIC}
        while wanted is not None:
            for principal in sorted(wanted - started):
                for projection in kept_in("kv", PROJECTIONS):
                    tasks.create_task(keep_bucket(context, OnePrincipal(projection.fold, principal), principal))
            started |= wanted
            wanted = await unless(context.stop, found.get())


async def _discover(context: Context, what: str, subject: str, found: Found, seen: Progress) -> None:
    """Find principals as they come: a memory of two kinds of facts, read anew at each start."""

    class Announcing(MemoryStore):
        async def commit(self, rows: Rows, position: int) -> None:
            await super().commit(rows, position)
            found.put_nowait(principals(rows))

    fold, store = Principals(), Announcing()
    await run_fold(context.bus, fold, store, kept_in=what, filter_subject=subject, stop=context.stop, progress=seen)
