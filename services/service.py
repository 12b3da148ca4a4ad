"""What every service gets and must do: a context to work with, a way to be stopped, and progress that health checks can see."""

import asyncio
import importlib
import os
import signal
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from cardtrail.events.errors import UsageError
from cardtrail.services.bus.alive import beat
from cardtrail.services.bus.alone import pause
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.metering import METRICS, Meters, process_name
from cardtrail.services.bus.outbox import Outbox
from cardtrail.services.bus.progress import Progress
from cardtrail.services.bus.questions import answer
from cardtrail.services.bus.seams import Seams
from cardtrail.services.bus.streams import sizes_for
from cardtrail.services.bus.tracing import ended, exporting, traces, wanted
from cardtrail.services.held_back import AGAIN, tried_again
from cardtrail.services.long_life import long_life
from cardtrail.services.settings import Settings
from cardtrail.services.telling import read_locks, tell_settings

SERVICES: tuple[str, ...] = ("fetcher", "compiler", "decider", "prober", "observer", "notifier", "projector", "web")
"""One line per service: the folder with its `app.py`, its name in `cardtrail run`, its container in the compose file."""
AUDITING = ("projector",)
"""Those that serve a log for an audit: what is known from it, and nothing new."""

HEALTH = "cardtrail.health"
_GIVES_WAY_S = 0.5


async def nothing_to_settle() -> None:
    """The settings are told by somebody else, or not at all."""


@dataclass(frozen=True, slots=True)
class Context:
    """What a service works with: settings, one connection, a folder of its own, an event that asks it to stop.

    `progress` holds one entry per fold it drives, by name, `outboxes` what keeps facts on disk, `alarms` what an
    operator should know now; health is told from them. `settle` tells what the settings say: it is for whoever decides.
    """

    name: str
    settings: Settings
    bus: Bus
    folder: Path
    stop: asyncio.Event
    progress: dict[str, Progress] = field(default_factory=dict)
    outboxes: list[Outbox] = field(default_factory=list)
    alarms: list[str] = field(default_factory=list)
    settle: Callable[[], Awaitable[None]] = nothing_to_settle

    def watched(self, name: str) -> Progress:
        """The progress entry for one fold, made when first asked for."""
        return self.progress.setdefault(name, Progress())


Run = Callable[[Context], Awaitable[None]]


def known(name: str) -> str:
    """The name of a service.

    Raises:
        UsageError: `service-unknown`.
    """
    if name not in SERVICES:
        raise UsageError("service-unknown", f'"{name}" is no service', hint=f"one of {', '.join(SERVICES)}")
    return name


def app(name: str) -> Run:
    """The `run` of a service's app. Raises as `known`."""
    run: Run = importlib.import_module(f"cardtrail.services.{known(name)}.app").run
    return run


TELLER = "decider"
"""The service that tells what the settings say, once it has its place: of it alone there is one for certain."""


async def serve(  # noqa: PLR0913 — how one process is run
    name: str, settings: Settings, url: str, free_bytes: int, *, with_parent: bool = False, tells: bool = False
) -> None:
    """Run one service against the broker at `url` until SIGTERM, SIGINT or, `with_parent`, the end of its standard input.

    `free_bytes` of disk bound the streams where they are new; `tells` says that the settings were written down and count.
    """
    run = app(name)
    meters = Meters(name)
    provider = exporting(name) if wanted(os.environ) else None
    stop = asyncio.Event()
    _stop_on_signals(stop, with_parent=with_parent)
    folder = settings.broker.data / name
    folder.mkdir(parents=True, exist_ok=True)
    seams = Seams(meters.middleware, traces(provider) if provider else None)
    async with Bus(url, name=f"cardtrail-{name}", streams=sizes_for(free_bytes), seams=seams) as bus:
        context = Context(name=name, settings=settings, bus=bus, folder=folder, stop=stop)
        if tells and name == TELLER:
            context = replace(context, settle=_settling(bus, settings))
        beside = (
            asyncio.create_task(answer(bus, f"{HEALTH}.{name}", partial(_health, context), stop)),
            asyncio.create_task(answer(bus, f"{AGAIN}.{name}", lambda _: tried_again(name, context.progress), stop)),
            asyncio.create_task(answer(bus, f"{METRICS}.{name}", meters.answering(), stop)),
            asyncio.create_task(
                beat(
                    bus.connection,
                    name,
                    lambda: None if waits_for_its_place(context) else silent_s(context),
                    stop,
                    lambda: _behind_s(context),
                )
            ),
        )
        try:
            with long_life():
                await run(context)
        finally:
            stop.set()
            await asyncio.gather(*beside, return_exceptions=True)
            if provider:
                await ended(provider)


def _settling(bus: Bus, settings: Settings) -> Callable[[], Awaitable[None]]:
    locks = read_locks(settings)

    async def settle() -> None:
        await tell_settings(bus, settings, locks)

    return settle


def _stop_on_signals(stop: asyncio.Event, *, with_parent: bool) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)

    def at_end() -> None:
        if not os.read(0, 4096):
            loop.remove_reader(0)
            stop.set()

    if with_parent:
        loop.add_reader(0, at_end)


def silent_s(context: Context) -> float:
    """How long the slowest fold has stood still, or failed, seconds.

    Where rows are kept by principal (`_behind_s`), planners miss nothing of what fails beside them, such as the archive.
    """
    now, by_principal = time.monotonic(), any("/" in name for name in context.progress)
    still = [seen.silent_s(now) for seen in context.progress.values()]
    failing = [now - seen.failing_since for seen in context.progress.values() if seen.failing_since is not None]
    return max([*still, *([] if by_principal else failing)], default=0.0)


def _behind_s(context: Context) -> dict[str, float]:
    """How long folds of one principal (`routes/public`) have failed, seconds, by principal."""
    now, found = time.monotonic(), dict[str, float]()
    for name, seen in context.progress.items():
        _, of_one, principal = name.partition("/")
        if of_one and seen.failing_since is not None:
            found[principal] = max(found.get(principal, 0.0), now - seen.failing_since)
    return found


def waits_for_its_place(context: Context) -> bool:
    """Whether another instance may have the place of this one: nothing is begun, or no fold has its reader."""
    runs = [seen.mine for seen in context.progress.values() if seen.reader is not None]
    return not context.progress or (bool(runs) and not any(runs))


async def _health(context: Context, question: Mapping[str, object]) -> dict[str, Any]:
    """One that waits for its place gives way to the one at work where the first answer counts: it should be the service's."""
    if waits_for_its_place(context) and not question.get("all"):
        await pause(context.stop, _GIVES_WAY_S)
    now = time.monotonic()
    folds = {
        name: {
            "position": seen.position,
            "pending": seen.pending,
            "parked": seen.parked,
            "told": seen.told,
            "follows": seen.follows,
            "silent_s": round(seen.silent_s(now), 3),
            "failing": seen.failing,
        }
        for name, seen in sorted(context.progress.items())
    }
    kept = [await asyncio.to_thread(outbox.standing) for outbox in context.outboxes]
    return {
        "service": context.name,
        "process": process_name(),
        "folds": folds,
        "waits": waits_for_its_place(context),
        "connected": context.bus.connection.connected.is_set(),
        "waiting": sum(one.waiting for one in kept),
        "refused": sum(one.refused for one in kept),
        "alarms": list(context.alarms),
    }
