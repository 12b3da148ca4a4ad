"""The fetcher's process: jobs that are due, shared with other fetchers by the broker, each ending in exactly one fact."""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Iterable
from datetime import UTC, datetime
from functools import partial

from cardtrail.events.errors import EventRefused, Unreachable
from cardtrail.services.bus.alone import alone, pause
from cardtrail.services.bus.kv_read import read_table
from cardtrail.services.bus.outbox import Outbox
from cardtrail.services.bus.pull import Delivered
from cardtrail.services.bus.retried import Retried
from cardtrail.services.bus.runner import run_fold
from cardtrail.services.bus.schedules import Due, queue, read_due
from cardtrail.services.bus.scheduling import SHARED, Scheduling
from cardtrail.services.bus.work_queue import WorkQueue
from cardtrail.services.bus.workers import Hosts, work
from cardtrail.services.fetcher.dispatch import DUE, Dispatch
from cardtrail.services.fetcher.looks import Looks
from cardtrail.services.fetcher.pace import SCAN, begin, wanted
from cardtrail.services.fetcher.rejections import REJECTIONS, spikes
from cardtrail.services.fetcher.scans import Scans
from cardtrail.services.fetcher.trusted import checks, key_fetch, key_store, told
from cardtrail.services.fetcher.turns import LONGEST_WAIT_S, Turns
from cardtrail.services.outbound.certificates import SOON
from cardtrail.services.outbound.client import Door
from cardtrail.services.outbound.credentials import build
from cardtrail.services.outbound.resolve import static_names
from cardtrail.services.service import Context

log = logging.getLogger("cardtrail.fetcher")
_ALARMS_S = 10.0


async def run(context: Context) -> None:
    """Look at what is due until asked to stop; a look under way is finished first."""
    settings = context.settings
    credentials = {name: build(name, held) for name, held in settings.credentials.items()}
    async with (
        Outbox(context.bus, context.folder / "outbox") as outbox,
        Door(settings.limits, settings.tls, resolver=static_names(settings.hosts)) as door,
    ):
        context.outboxes.append(outbox)
        keys = key_store(settings)
        full_every_s = settings.limits.unconditional_every
        looks = Looks(
            context.bus,
            outbox,
            door.send,
            credentials,
            checks(keys, key_fetch(settings, door.send), _now),
            settings.client,
            full_every_s,
            _now,
        )
        scans = Scans(context.bus, outbox, door.send, settings.registries, credentials, _now)
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(_dispatch(context))
            tasks.create_task(_work(context, looks, scans))
            tasks.create_task(_alarms(context, lambda now: [*door.certificates.told(now), *told(keys, now, SOON)]))


async def _dispatch(context: Context) -> None:
    """Drive the schedule, unless another fetcher does."""
    fold = Dispatch(context.settings.limits.backoff_cap)
    store = Scheduling(context.bus, fold.name, DUE, wanted, begin=partial(begin, context.settings.registries, DUE))
    seen = context.watched(fold.name)
    await alone(lambda: run_fold(context.bus, fold, store, stop=context.stop, progress=seen), context.stop)


async def _work(context: Context, looks: Looks, scans: Scans) -> None:
    limits = context.settings.limits
    jobs = queue(context.bus, "refresh")
    hosts, turns, retried = Hosts(limits.per_host), Turns(limits.host_gap_s), Retried(log, "looks")

    async def do(due: Due) -> float:
        wait_s = turns.wait_s(due.host, asyncio.get_running_loop().time())
        if wait_s > LONGEST_WAIT_S:
            return wait_s
        await asyncio.sleep(wait_s)
        async with hosts.room(due.host):
            await (scans.scan(due) if due.fingerprint == SCAN else looks.look(due))
        return 0.0

    await work(jobs, lambda job: _one(jobs, job, do, retried), context.stop, at_once=limits.fetchers)


async def _alarms(context: Context, ending: Callable[[datetime], Iterable[str]]) -> None:
    """Keep spikes of refusals, and certificates and keys that end, in the health answer, and log each when it begins."""
    known: set[str] = set()
    while not context.stop.is_set():
        with contextlib.suppress(Unreachable):
            rows, _ = await read_table(context.bus, Dispatch.name, SHARED, REJECTIONS)
            found = {
                f"{one.stage}: {one.reason}": one.told()
                for one in spikes(rows, context.settings.discovery.spikes, _now())
            }
            found |= {line: line for line in ending(_now())}
            for name in found.keys() - known:
                log.warning("%s", found[name])
            known = set(found)
            context.alarms[:] = found.values()
        await pause(context.stop, _ALARMS_S)


async def _one(jobs: WorkQueue, job: Delivered, do: Callable[[Due], Awaitable[float]], retried: Retried) -> None:
    """Do a job to its end, or put it back for as many seconds as it has to wait."""
    try:
        due = read_due(job.data)
        async with jobs.held(job):
            later_s = await do(due)
        await (jobs.later(job, later_s) if later_s else jobs.done(job))
    except EventRefused as refusal:
        log.warning("a job that cannot be read is dropped: %s", refusal)
        await jobs.done(job)
    except Unreachable as away:
        retried.failed(away.code, away)
    else:
        retried.worked()


def _now() -> datetime:
    return datetime.now(UTC)
