"""The prober's process: tests that are due, shared with other probers by the broker, each ending in one record."""

import asyncio
import logging
from datetime import UTC, datetime

from cardtrail.events.errors import EventRefused, Unreachable
from cardtrail.services.bus.alone import alone, pause
from cardtrail.services.bus.errors import LogFull
from cardtrail.services.bus.outbox import Outbox
from cardtrail.services.bus.pull import Delivered
from cardtrail.services.bus.retried import Retried
from cardtrail.services.bus.runner import run_fold
from cardtrail.services.bus.schedules import queue, read_due
from cardtrail.services.bus.scheduling import Scheduling
from cardtrail.services.bus.work_queue import WorkQueue
from cardtrail.services.bus.workers import Hosts, work
from cardtrail.services.outbound.client import Door
from cardtrail.services.outbound.credentials import build
from cardtrail.services.outbound.resolve import static_names
from cardtrail.services.prober.agenda import DUE, Agenda
from cardtrail.services.prober.ask import Asker
from cardtrail.services.prober.pace import wanted
from cardtrail.services.prober.session import Sessions
from cardtrail.services.service import Context

log = logging.getLogger("cardtrail.prober")


async def run(context: Context) -> None:
    """Test what is due until asked to stop; a test under way is finished first."""
    settings = context.settings
    contracts = {name: agent.contract for name, agent in settings.agents.items() if agent.contract is not None}
    agenda = Agenda(settings.probes, contracts)
    async with (
        Outbox(context.bus, context.folder / "outbox") as outbox,
        Door(settings.limits, settings.tls, resolver=static_names(settings.hosts)) as door,
    ):
        sessions = Sessions(
            bus=context.bus,
            outbox=outbox,
            asker=Asker(door.open, settings.probes, _now),
            agenda=agenda,
            contracts=contracts,
            credentials={name: build(name, held) for name, held in settings.credentials.items()},
            clock=_now,
            wait=lambda seconds: _go_on(context.stop, seconds),
        )
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(_keep_agenda(context, agenda))
            tasks.create_task(_work(context, sessions))


async def _keep_agenda(context: Context, agenda: Agenda) -> None:
    """Drive the agenda, unless another prober does."""
    store = Scheduling(context.bus, agenda.name, DUE, wanted, begin=agenda.replan)
    seen = context.watched(agenda.name)
    await alone(lambda: run_fold(context.bus, agenda, store, stop=context.stop, progress=seen), context.stop)


async def _work(context: Context, sessions: Sessions) -> None:
    at_once = context.settings.probes.probers
    jobs = queue(context.bus, "probe")
    hosts, retried = Hosts(at_once=1), Retried(log, "tests")
    await work(jobs, lambda job: _one(jobs, job, sessions, hosts, retried), context.stop, at_once=at_once)


async def _one(jobs: WorkQueue, job: Delivered, sessions: Sessions, hosts: Hosts, retried: Retried) -> None:
    try:
        due = read_due(job.data)
        async with jobs.held(job), hosts.room(due.host):
            again_s = await sessions.work(due)
        await (jobs.later(job, again_s) if again_s else jobs.done(job))
    except EventRefused as refusal:
        log.warning("a job that cannot be read is dropped: %s", refusal)
        await jobs.done(job)
    except (Unreachable, LogFull) as away:
        retried.failed(away.code, away)
    else:
        retried.worked()


async def _go_on(stop: asyncio.Event, seconds: float) -> bool:
    await pause(stop, seconds)
    return not stop.is_set()


def _now() -> datetime:
    return datetime.now(UTC)
