"""The DuckDB side of the projector: one store in bulk, promoted when it has caught up, snapshots for readers on demand."""

import asyncio
from typing import Any

from cardtrail.events.errors import Unreachable
from cardtrail.projections.store import DuckStore
from cardtrail.services.archive import DIGEST, NAME, SNAPSHOT, SNAPSHOTS, archive_fold, home
from cardtrail.services.bus.alone import ended
from cardtrail.services.bus.progress import Progress
from cardtrail.services.bus.questions import answer, together
from cardtrail.services.bus.readers import BULK
from cardtrail.services.bus.runner import run_fold
from cardtrail.services.service import Context

_CLOSE_BEHIND, _AGAIN_S = 1_000, 1.0


async def keep(context: Context) -> None:
    """Keep the archive up to date until asked to stop; a quick one: it never holds up the buckets."""
    fold, seen = archive_fold(), context.watched(NAME)
    store = DuckStore(home(context.settings.broker.data), fold.tables, maker=SNAPSHOTS)

    async def snapshot(question: dict[str, Any]) -> dict[str, Any]:
        del question
        await seen.begun()  # from a store that is another's nobody is answered: its owner does
        path = await store.snapshot()
        return {"path": None if path is None else str(path), "position": seen.position}

    async def digest(question: dict[str, Any]) -> dict[str, Any]:
        del question
        await seen.begun()
        position, content = await store.digest()
        return {"position": position, "digest": content}

    beside = (
        asyncio.create_task(answer(context.bus, SNAPSHOT, together(snapshot), context.stop)),
        asyncio.create_task(answer(context.bus, DIGEST, together(digest), context.stop)),
        asyncio.create_task(_promote(context, store, seen)),
    )
    try:
        await run_fold(context.bus, fold, store, kept_in=NAME, mode=BULK, stop=context.stop, progress=seen)
    finally:
        await ended(*beside)
        await store.close()


async def _promote(context: Context, store: DuckStore, seen: Progress) -> None:
    """Put a growing generation in force once it stands close behind the log."""
    while True:
        await seen.moved.wait()
        seen.moved.clear()
        if not store.growing:
            return
        try:
            if (await context.bus.info()).end - seen.position < _CLOSE_BEHIND:
                await store.promote()
        except Unreachable:
            await asyncio.sleep(_AGAIN_S)
            seen.moved.set()  # a quiet log would bring no other occasion
