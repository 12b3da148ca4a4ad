"""The observer's process: planners' reports in, batch by batch, each batch told once; the only one who tells of real calls.

What a batch holds is kept before it is told: after a crash the same reports make the same batch, and its facts the same ids.
"""

import asyncio
import logging
from datetime import UTC, datetime
from functools import partial

from cardtrail.events.errors import EventRefused, Unreachable
from cardtrail.events.subjects import REPORTS as SUBJECTS
from cardtrail.projections.projection import Rows
from cardtrail.services.bus.alone import alone, first
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.errors import LogFull
from cardtrail.services.bus.in_order import InOrder
from cardtrail.services.bus.kv_store import KvStore
from cardtrail.services.bus.names import REPORTS
from cardtrail.services.bus.progress import Progress
from cardtrail.services.bus.pull import Delivered
from cardtrail.services.bus.retried import Retried
from cardtrail.services.bus.runner import run_fold
from cardtrail.services.observer.known import Known
from cardtrail.services.observer.observed import Batch, observed
from cardtrail.services.observer.park import Park
from cardtrail.services.observer.receive import Received, received
from cardtrail.services.observer.spent import alarms, keep, within
from cardtrail.services.service import Context

log = logging.getLogger("cardtrail.observer")
NAME = "observer"
_MOST, _LINGER_S = 512, 0.5
_AGAIN_S = 1.0
_PLAN = "batch"
_ONLY = ("-",)


async def run(context: Context) -> None:
    """Take reports until asked to stop."""
    await alone(lambda: _observe(context), context.stop)


class Shared(KvStore):
    """A fold's bucket whose rows others of this process may look at, between two batches of the fold."""

    rows: Rows

    async def load(self) -> tuple[Rows, int]:
        """See `Store`."""
        self.rows, position = await super().load()
        return self.rows, position


async def _observe(context: Context) -> None:
    fold, seen = Known(), context.watched(Known.name)
    known = Shared(context.bus, fold.name, NAME)
    folding = asyncio.create_task(run_fold(context.bus, fold, known, stop=context.stop, progress=seen))
    taking = asyncio.create_task(_Taking(context, known, seen).run())
    await first(folding, taking)


class _Taking:
    """The reports, in order; `position` is the last one told, `planned` the end of a batch that may have been told already."""

    def __init__(self, context: Context, known: Shared, seen: Progress) -> None:
        self._bus: Bus = context.bus
        self._known, self._seen, self._progress = known, seen, context.watched("reports")
        self._progress.follows = "reports"
        self._store = KvStore(context.bus, "reports", NAME)
        self._most, self._alarms = context.settings.limits.report_facts, context.alarms
        self._retried = Retried(log, "reports")
        self._park = Park(context.folder / "parked.jsonl")
        self._queue = InOrder(
            context.bus.connection,
            REPORTS,
            NAME,
            filter_subject=f"{SUBJECTS}.>",
            window=2 * _MOST,
            confirmed=seen.confirmed,
        )

    async def run(self) -> None:
        try:
            while True:
                try:
                    await self._take()
                except (Unreachable, LogFull) as away:
                    self._retried.failed(away.code, away)
                    await self._queue.close()
                    await asyncio.sleep(_AGAIN_S)
        finally:
            await self._queue.close()

    async def _take(self) -> None:
        await self._seen.begun()  # so nobody else takes reports
        await self._seen.reaches((await self._bus.info()).end)
        rows, position = await self._store.load()
        self._moved(position, 0)
        self._warn(rows)
        planned = int((rows.get(_PLAN, _ONLY) or {"through": position})["through"])
        held: list[Delivered] = []
        while True:
            while not held or held[-1].sequence < planned:  # the rest of a batch that was begun before is still to come
                held += await self._queue.batch(_MOST, _LINGER_S)
            if held[0].sequence > planned:
                planned = position  # what was begun is gone from the queue, and comes no more
            batch = [one for one in held if one.sequence <= planned] if planned > position else held
            held = held[len(batch) :]
            through = batch[-1].sequence
            fresh = [one for one in batch if one.sequence > position]
            if fresh:
                rows.put(_PLAN, _ONLY, {"through": through})
                await self._store.commit(rows, position)
                await self._bus.connection.seams.job("reports", fresh, partial(self._tell, fresh, rows))
                await self._store.commit(rows, through)
            await self._queue.done(batch)
            position = planned = max(position, through)
            self._moved(position, batch[-1].pending)
            self._retried.worked()
            self._warn(rows)

    def _moved(self, position: int, pending: int) -> None:
        self._progress.mine, self._progress.position, self._progress.pending = True, position, pending
        self._progress.moved.set()

    def _warn(self, rows: Rows) -> None:
        """Health says what reports were over; the log of the service when it begins."""
        found = list(alarms(rows, datetime.now(UTC)))
        for line in found if found and not self._alarms else ():
            log.warning("%s", line)
        self._alarms[:] = found

    async def _tell(self, batch: list[Delivered], rows: Rows) -> None:
        await self._seen.reaches((await self._bus.info()).end)
        place = Batch(batch[-1].sequence, batch[-1].stored_at)
        reports = [report for one in batch if (report := self._read(one, place)) is not None]
        facts, spent = within(observed(reports, place), place.at, rows, self._most)
        if facts:
            await self._seen.confirmed()
            await self._bus.tell(facts)
        keep(rows, spent)
        self._progress.told += len(facts)

    def _read(self, message: Delivered, place: Batch) -> Received | None:
        """The report in a message; one that cannot be told is parked, so that it holds up no other."""
        try:
            report = received(message.data, message.subject, self._known.rows, message.stored_at)
            for fact in observed([report], place):
                self._bus.message(fact)
        except EventRefused as refusal:
            self._park.keep(message, refusal)
        except Exception as error:
            log.exception("report %d", message.sequence)
            self._park.keep(message, EventRefused("report-failed", type(error).__name__))
        else:
            return report
        self._progress.parked = self._park.count
        return None
