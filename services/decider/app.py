"""The decider's process: the fold driven over the log, its deadlines kept as schedules, due ones told as facts."""

import asyncio
import logging
from datetime import UTC, datetime
from functools import partial

from cardtrail.events import ChangeDecided, DeadlinePassed
from cardtrail.events.errors import EventRefused, Unreachable
from cardtrail.projections.projection import Key, Rows
from cardtrail.services.bus.alone import alone, first
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.errors import LogFull
from cardtrail.services.bus.kv_store import KvStore
from cardtrail.services.bus.pull import Delivered
from cardtrail.services.bus.retried import Retried
from cardtrail.services.bus.runner import run_deriver
from cardtrail.services.bus.schedules import Due, cancel, passed, queue, read_due, schedule
from cardtrail.services.bus.stores import Store
from cardtrail.services.decider import deadlines
from cardtrail.services.decider.decider import Decider
from cardtrail.services.decider.decision import NAME
from cardtrail.services.service import Context
from cardtrail.services.verdict.judge import judge
from cardtrail.services.verdict.rules import RULES_VERSION

log = logging.getLogger("cardtrail.decider")
TOLD = "cardtrail.decisions.>"


async def run(context: Context) -> None:
    """Decide until asked to stop, unless another decider does; what is remembered lies in the bucket `state_decider`."""
    store = Scheduled(context.bus, KvStore(context.bus, "state", NAME))
    clock = asyncio.create_task(tell_time(context.bus))
    await first(clock, asyncio.create_task(alone(lambda: _decide(context, store), context.stop)))


async def _decide(context: Context, store: Store) -> None:
    """Whoever decides tells what the settings say, once it has its place."""
    untold = [context.settle]

    async def begun(bus: Bus) -> int:
        while untold:
            await untold[-1]()
            untold.pop()
        return await told_through(bus)

    decider, seen = Decider(judge, RULES_VERSION), context.watched(NAME)
    await run_deriver(context.bus, decider, store, told_through=begun, stop=context.stop, progress=seen)


async def told_through(bus: Bus) -> int:
    """The sequence of the latest fact that a decision on the log has considered."""
    events = (one.fact.data for one in (await bus.last(TOLD)).facts)
    return max((event.considered_through for event in events if isinstance(event, ChangeDecided)), default=0)


class Scheduled:
    """A store whose deadlines are also schedules: set before the rows that want them are kept, and all anew at each start."""

    def __init__(self, bus: Bus, store: Store) -> None:
        """Keep rows in `store` and schedules on `bus`."""
        self._bus, self._store = bus, store

    async def load(self) -> tuple[Rows, int]:
        """See `Store`."""
        rows, position = await self._store.load()
        await schedule(self._bus, [_due(key, event) for key, event in deadlines.wanted(rows).items()])
        return rows, position

    async def commit(self, rows: Rows, position: int) -> None:
        """See `Store`."""
        changed = deadlines.changed(rows.changes)
        await schedule(self._bus, [_due(key, event) for key, event in changed.items() if event is not None])
        await asyncio.gather(*(cancel(self._bus, _due(key, event)) for key, event in changed.items() if event is None))
        await self._store.commit(rows, position)


async def tell_time(bus: Bus) -> None:
    """Tell each instant that has come, once; one that could not be told comes again."""
    jobs, retried = queue(bus, "clock"), Retried(log, "deadlines")
    try:
        while True:
            job = await jobs.take()
            try:
                await jobs.handled(job, partial(_tell, bus, job))
                await jobs.done(job)
            except (Unreachable, LogFull) as away:
                retried.failed(away.code, away)
            else:
                retried.worked()
    finally:
        await jobs.close()


async def _tell(bus: Bus, job: Delivered) -> None:
    try:
        fact = passed(read_due(job.data), datetime.now(UTC))
    except EventRefused as refusal:
        log.warning("a deadline that cannot be read is dropped: %s", refusal)
        return
    await bus.tell([fact])


def _due(key: Key, event: DeadlinePassed | None) -> Due:
    """The schedule of a wish; without an event only its place counts."""
    what, agent, principal, workflow, fingerprint = key
    due = datetime.fromisoformat(event.due) if event else datetime.fromtimestamp(0, UTC)
    return Due.model_validate(
        {
            "what": what,
            "due": due,
            "agent": agent,
            "principal": principal,
            "workflow": workflow,
            "fingerprint": fingerprint,
        }
    )
