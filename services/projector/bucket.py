"""One principal's rows in a bucket. What fails there is told and tried again, and holds up nobody else's."""

import asyncio
import logging

from cardtrail.events.errors import CardtrailError, Unreachable
from cardtrail.projections.one_principal import OnePrincipal
from cardtrail.services.bus.alone import alone, ended, pause
from cardtrail.services.bus.errors import LogMismatch, ReaderTaken, StaleWriter, StoreInUse
from cardtrail.services.bus.kv_store import KvStore
from cardtrail.services.bus.progress import Progress
from cardtrail.services.bus.retried import Retried
from cardtrail.services.bus.runner import run_fold
from cardtrail.services.service import Context

log = logging.getLogger("cardtrail.projector")
_AGAIN_S = 5.0


async def keep_bucket(context: Context, fold: OnePrincipal, principal: str) -> None:
    """Keep the bucket up to date until asked to stop.

    Raises:
        LogMismatch: the log is another one. Unreachable: the connection is closed for good.
    """
    store, seen = KvStore(context.bus, fold.name, principal), context.watched(f"{fold.name}/{principal}")
    retried = Retried(log, f"{store.bucket} cannot be kept")

    async def folding() -> None:
        try:
            await run_fold(context.bus, fold, store, kept_in=f"kv-{principal}", stop=context.stop, progress=seen)
        except (LogMismatch, ReaderTaken, StaleWriter, StoreInUse, Unreachable):
            raise
        except Exception as why:  # noqa: BLE001 — a defect too must stay with this bucket; it is told with its trace
            _fails(retried, seen, why)
            await pause(context.stop, _AGAIN_S)

    recovering = asyncio.create_task(_recovers(retried, seen))
    try:
        await alone(folding, context.stop)
    finally:
        await ended(recovering)


def _fails(retried: Retried, seen: Progress, why: Exception) -> None:
    said = str(why) if isinstance(why, CardtrailError) else f"{type(why).__name__}: {why}"
    retried.failed(said, said, None if isinstance(why, CardtrailError) else why)
    seen.fails(said)


async def _recovers(retried: Retried, seen: Progress) -> None:
    """A run that failed is at work again once it has committed more than it ever had."""
    reached = 0
    while True:
        await seen.reaches(reached + 1)
        reached = seen.position
        seen.works()
        retried.worked()
