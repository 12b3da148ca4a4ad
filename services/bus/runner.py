"""What drives every fold and deriver: a batch in, one tell, one commit of rows and position, one acknowledgement.

After a crash between tell and commit the same facts give the same derived ids, which the broker drops (within its
duplicate window) and every reader tolerates. What fails because something is away is tried again from the store's own
position; what fails for another reason ends the run.
"""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from time import monotonic

from cardtrail.events.errors import Unreachable
from cardtrail.events.subjects import ALL
from cardtrail.projections.projection import Deriver, Fold, Rows
from cardtrail.services.bus.alone import over, unless
from cardtrail.services.bus.attempt import PARKED, Attempts, Folded, Step
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.errors import LogFull
from cardtrail.services.bus.holding import Holding
from cardtrail.services.bus.names import consumer_name
from cardtrail.services.bus.progress import Progress
from cardtrail.services.bus.publish import Message
from cardtrail.services.bus.pull import Delivered
from cardtrail.services.bus.readers import TAIL, Mode, Reader
from cardtrail.services.bus.retried import Retried
from cardtrail.services.bus.stores import Store

log = logging.getLogger("cardtrail.bus")
CLOCK = "clock"
Prepare = Callable[[Sequence[bytes], Rows], Awaitable[None]]
ToldThrough = Callable[[Bus], Awaitable[int]]
_BEGINNING = datetime.fromtimestamp(0, UTC)
_AGAIN_S = 0.5
_BREATH = 500
"""So many facts are applied before others in this process have their turn."""


async def run_fold(  # noqa: PLR0913 — a run's settings
    bus: Bus,
    fold: Fold,
    store: Store,
    *,
    kept_in: str = "kv",
    principal: str | None = None,
    filter_subject: str = ALL,
    mode: Mode = TAIL,
    stop: asyncio.Event | None = None,
    progress: Progress | None = None,
) -> None:
    """Apply every fact to the fold until `stop`; with `principal`, only what that principal may see.

    The durable is named after the fold, `kept_in` and the principal: each store is a consumer of its own.

    Raises:
        ReaderTaken, LogMismatch, StaleWriter: it must not go on. BrokerUnreachable: the connection is closed for good.
    """
    name = consumer_name(fold.name, kept_in, *([] if principal is None else [principal]))
    reader = Reader(bus.connection, name, filter_subject=filter_subject, mode=mode)
    await _Run(bus, Folded(fold), store, reader, progress, principal).until(stop)


async def run_deriver(  # noqa: PLR0913 — a run's settings
    bus: Bus,
    deriver: Deriver,
    store: Store,
    *,
    filter_subject: str = ALL,
    mode: Mode = TAIL,
    prepare: Prepare | None = None,
    told_through: ToldThrough | None = None,
    stop: asyncio.Event | None = None,
    progress: Progress | None = None,
) -> None:
    """Apply every fact and tell what follows, until `stop`. There is no outbox: nothing is committed before it is told.

    `prepare` is given each batch before it is applied: to fetch what a pure deriver needs and cannot fetch itself.
    `told_through` says up to where the log holds what this deriver told: what follows from facts before that is not told
    again, so a deriver that has lost its rows reads the whole log in silence.

    Raises:
        ReaderTaken, LogMismatch, StaleWriter: it must not go on. BrokerUnreachable: the connection is closed for good.
    """
    reader = Reader(bus.connection, consumer_name(deriver.name), filter_subject=filter_subject, mode=mode)
    await _Run(bus, deriver.derive, store, reader, progress, prepare=prepare, told_through=told_through).until(stop)


class _Run:
    def __init__(  # noqa: PLR0913, PLR0917 — a run's parts
        self,
        bus: Bus,
        step: Step,
        store: Store,
        reader: Reader,
        progress: Progress | None,
        principal: str | None = None,
        prepare: Prepare | None = None,
        told_through: ToldThrough | None = None,
    ) -> None:
        self._bus, self._step, self._store, self._reader, self._principal = bus, step, store, reader, principal
        self._progress, self._prepare, self._told_through = progress or Progress(), prepare, told_through
        self._progress.reader = reader
        self._retried, self._holding = Retried(log, reader.name), Holding(log, reader.name)
        self._seams = bus.connection.seams
        self._traced = told_through is not None and self._seams.tracing is not None
        self._committing: asyncio.Task[None] | None = None

    async def until(self, stop: asyncio.Event | None) -> None:
        stop = stop or asyncio.Event()
        try:
            while not stop.is_set():
                try:
                    await self._run(stop)
                except (Unreachable, LogFull) as away:
                    if self._bus.connection.closed.is_set():
                        raise
                    self._retried.failed(away.code, away)
                    self._progress.fails(away.message)
                    await unless(stop, asyncio.sleep(_AGAIN_S))
        finally:
            self._progress.mine = False
            await self._reader.close()

    async def _run(self, stop: asyncio.Event) -> None:
        self._progress.committing_since = None
        self._progress.mine, self._progress.position = False, 0
        await unless(stop, self._reader.claim())  # before `load`, which may do more than read
        self._rows, position = await self._store.load()
        try:
            await unless(stop, self._reader.start(position))
            if stop.is_set():
                return
            await self._begin(position)
            while not stop.is_set() and not self._progress.again.is_set():
                batch = await unless(stop, unless(self._progress.again, self._reader.batch()), self._committing)
                if batch:
                    await self._seams.batch(self._reader.name, batch, partial(self._take, batch))
            await self._committed()
        finally:
            await over(self._committing)
            self._committing = None

    async def _begin(self, position: int) -> None:
        self._attempts = Attempts(self._step, self._rows, self._bus.message, self._principal)
        self._now = await self._clock(position)
        self._quiet_below = await self._told_through(self._bus) if self._told_through else 0
        self._progress.again.clear()
        await self._unpark(position)
        self._progress.tried += 1
        self._progress.mine = True
        self._moved(position)
        if self._retried.failing and (await self._bus.info()).end <= position:
            self._works()  # with nothing to commit, that is all it can do

    async def _take(self, batch: list[Delivered]) -> None:
        told: list[Message] = []
        if self._prepare is not None:
            await self._prepare([message.data for message in batch], self._rows)
        for count, message in enumerate(batch, 1):
            told += await self._apply(message)
            if count % _BREATH == 0:
                await asyncio.sleep(0)
        await self._committed()
        commit = self._commit(self._rows.handed_over(), told, batch[-1].sequence, batch[-1])
        if self._reader.ahead:
            self._committing = asyncio.ensure_future(commit)
        else:
            await commit

    async def _apply(self, message: Delivered) -> tuple[Message, ...]:
        at = self._at(message.stored_at)
        apply = partial(self._attempts.apply, message.sequence, at, message.subject, message.data)
        if message.sequence < self._quiet_below:
            apply()
            return ()
        return await self._seams.fact(self._reader.name, message, apply) if self._traced else apply()

    async def _committed(self) -> None:
        """Returns when no commit is under way; raises what one has failed by."""
        committing, self._committing = self._committing, None
        if committing is not None:
            await committing

    async def _commit(self, rows: Rows, told: list[Message], position: int, last: Delivered | None = None) -> None:
        self._progress.committing_since = monotonic()
        await self._reader.confirm()
        if told:
            await self._bus.publish(told)
        await self._store.commit(rows, position)
        self._progress.committing_since = None
        self._progress.told += len(told)
        self._moved(position)
        self._works()
        if last is not None:
            await self._reader.ack(last)
            self._progress.pending = last.pending

    def _moved(self, position: int) -> None:
        parked = self._rows.table(PARKED)
        self._progress.position, self._progress.parked = position, len(parked)
        if not self._reader.ahead:  # else it is rebuilt aside, for one question
            self._holding.holds(parked)
        self._progress.moved.set()

    def _works(self) -> None:
        self._retried.worked()
        self._progress.works()

    async def _unpark(self, position: int) -> None:
        """Try parked facts again: this release may read what the last one could not."""
        lanes: dict[tuple[str, str], list[int]] = defaultdict(list)
        for place, sequence in self._attempts.parked():
            lanes[place].append(sequence)
        told: list[Message] = []
        for place, sequences in lanes.items():
            raw = [(sequence, await self._bus.raw(sequence)) for sequence in sequences]
            there = [message for _, message in raw if message is not None]
            if self._prepare is not None:
                await self._prepare([message[2] for message in there], self._rows)
            gone = [sequence for sequence, message in raw if message is None]
            told += self._attempts.retry(place, there, gone)
        if lanes:
            await self._commit(self._rows.handed_over(), told, position)

    def _at(self, stored_at: datetime) -> datetime:
        """The broker's time, never decreasing; kept as a row while the clock is behind, so a restart knows it."""
        if stored_at >= self._now:
            self._now = stored_at
            if self._rows.table(CLOCK):
                self._rows.delete(CLOCK, ("now",))
        else:
            self._rows.put(CLOCK, ("now",), {"now": self._now.isoformat()})
        return self._now

    async def _clock(self, position: int) -> datetime:
        kept = self._rows.get(CLOCK, ("now",))
        if kept is not None:
            return datetime.fromisoformat(kept["now"])
        last = await self._bus.raw(position) if position else None
        return last[1] if last is not None else _BEGINNING
