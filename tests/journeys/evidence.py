"""The whole tracker in one process on a real broker, an unchanged SDK agent behind a lying gateway, a webhook that listens.

A test waits for facts, never for time.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from cardtrail.events import Event, LockfilePinned, Stored
from cardtrail.events.fact import dump
from cardtrail.events.model.lockfile import Candidate, Lockfile
from cardtrail.events.model.policy import ClientCapabilities
from cardtrail.events.model.report import Call, Report, ReportedError
from cardtrail.projections.projection import Rows
from cardtrail.services.bus.alone import ended
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.runner import run_fold
from cardtrail.services.bus.schedules import Due, schedule
from cardtrail.services.bus.stores import MemoryStore
from cardtrail.services.bus.watch import Change, Watch
from cardtrail.services.card.compile import compile_profile
from cardtrail.services.card.identify import identify
from cardtrail.services.card.read import read_card
from cardtrail.services.config_file import read_settings
from cardtrail.services.service import SERVICES, Context, app
from cardtrail.services.telling import operator_fact, read_locks, tell_settings
from cardtrail.services.verdict.lock import lock_digest
from cardtrail.services.verdict.pin import pin
from tests.a2a_agent import SKILL, card
from tests.liar_proxy import LiarProxy
from tests.nats_server import SMALL, Server

PRICING, FARES, HOOKS = "pricing.partner.example", "fares.other.example", "hooks.ours.example"
TRIP = "trip-planner"
PROBE = {
    "messageId": "agreed-1",
    "role": "ROLE_USER",
    "parts": [{"data": {"dry": True}, "mediaType": "application/json"}],
}
CONTRACT = """
[agents.pricing.contract]
rate_s = 0
agreed_with = "Ada at Partner Pricing"
message = { messageId = "agreed-1", role = "ROLE_USER", parts = [ { data = { dry = true }, mediaType = "application/json" } ] }
"""
WAIT_S = 60.0
Told = TypeVar("Told", bound=Event)


class Log(MemoryStore):
    """Every fact as it is told."""

    name = "test"

    def __init__(self) -> None:
        super().__init__()
        self.facts: list[Stored] = []
        self._more = asyncio.Condition()

    def apply(self, stored: Stored, _rows: Rows) -> None:
        self.facts.append(stored)

    async def commit(self, rows: Rows, position: int) -> None:
        await super().commit(rows, position)
        await self.wake()

    async def wake(self) -> None:
        """Have everybody who waits look again."""
        async with self._more:
            self._more.notify_all()

    async def until(self, found: Callable[[], Any]) -> Any:
        """What `found` finds, as soon as it finds something."""
        async with asyncio.timeout(WAIT_S), self._more:
            await self._more.wait_for(found)
            return found()


@dataclass
class Stage:
    """The tracker at work."""

    server: Server
    bus: Bus
    proxy: LiarProxy
    contexts: dict[str, Context]
    log: Log = field(default_factory=Log)
    routes: dict[str, Any] = field(default_factory=dict)

    def all_of(self, kind: type[Told], after: int = 0, **members: object) -> list[Stored]:
        """The facts of a kind behind a sequence with these members."""
        return [
            one
            for one in self.log.facts
            if one.sequence > after
            and isinstance(one.fact.data, kind)
            and all(getattr(one.fact.data, name) == value for name, value in members.items())
        ]

    async def first(self, kind: type[Told], after: int = 0, **members: object) -> tuple[Told, Stored]:
        """The first such fact, as soon as it is there."""
        found: Stored = (await self.log.until(lambda: self.all_of(kind, after, **members)))[0]
        assert isinstance(found.fact.data, kind)
        return found.fact.data, found

    def now(self) -> int:
        """The sequence of the last fact seen."""
        return self.log.facts[-1].sequence if self.log.facts else 0

    async def tell(self, event: Event) -> int:
        """Tell an operator's fact; its sequence."""
        return (await self.bus.tell([operator_fact(event, "test")]))[0]

    async def look(self, agent: str) -> None:
        """Have an agent looked at."""
        await schedule(self.bus, [Due(what="refresh", due=datetime.now(UTC), agent=agent)])

    async def probe(self, probe: str = "", agent: str = "pricing") -> int:
        """Ask for a probe, as an operator does; the sequence of the asking."""
        from cardtrail.events import DeadlinePassed

        now = datetime.now(UTC).isoformat()
        return await self.tell(DeadlinePassed(agent=agent, what="probe", due=now, fingerprint=probe))

    async def report(self, *calls: Call, name: str, workflow: str = TRIP, agent: str = "pricing") -> None:
        """Report calls, as a planner does."""
        made = Report(id=name, agent=agent, workflow=workflow, calls=calls)
        await self.bus.connection.js.publish(f"cardtrail.reports.public.{workflow}", dump(made))

    async def uses(self, agent: str | None, *degraded: str) -> dict[str, Any]:
        """The route for the skill, as a planner watches it, as soon as it names this agent with these operations degraded."""

        def found() -> dict[str, Any] | None:
            route, use = self.routes, self.routes.get("use", "")
            if use != agent:
                return None
            avoided = [one["degraded"] for one in route["candidates"] if one["agent"] == agent]
            return route if avoided in ([], [list(degraded)]) else None

        route: dict[str, Any] = await self.log.until(found)
        return route

    async def follow(self) -> None:
        """Keep the planner's route, until cancelled."""
        await self.contexts["projector"].watched("routes/public").moved.wait()
        async for change in Watch(self.bus.connection, "routes", "public").changes():
            if isinstance(change, Change) and change.key == ("public", TRIP, SKILL):
                self.routes = change.row or {}
                await self.log.wake()

    async def caught_up(self, *services: str) -> None:
        """Returns once these services' folds have read all there is."""
        last = (await self.bus.info()).last
        for service in services:
            for name, seen in self.contexts[service].progress.items():
                if name != "reports":
                    await asyncio.wait_for(seen.reaches(last), WAIT_S)

    async def pin(self, **changes: Any) -> int:
        """Pin the lock of the trip planner; its sequence."""
        lock = lock_for(self.proxy).model_copy(update=changes)
        return await self.tell(
            LockfilePinned(agent="pricing", workflow=TRIP, lockfile=lock, lock_digest=lock_digest(lock))
        )


def call(operation: str = "SendStreamingMessage", error: ReportedError | None = None, **members: Any) -> Call:
    """A call of the needed skill, as a planner reports it."""
    given = {"at": datetime.now(UTC).isoformat(), "skill": SKILL, "version": "1.0", "latency_ms": 40} | members
    return Call(operation=operation, error=error, **given)


def lock_for(proxy: LiarProxy) -> Lockfile:
    """What the trip planner needs: streaming, one skill with JSON in and out; another agent and a person behind it."""
    reading = read_card(dump(proxy.cards[PRICING]))
    assert reading.card is not None
    profile = compile_profile(reading.card, ClientCapabilities())
    made = pin(
        profile, identify(reading.card), workflow=TRIP, agent="pricing", card_digest="", now=datetime.now(UTC),
        skills=(SKILL,), streaming=True, owner="mira", with_baseline=False,
    )  # fmt: skip
    more = {"fallback": (Candidate(agent="fares"),), "person": "the travel desk", "channel": "team"}
    return made.model_copy(update=more)


def settings_for(proxy: LiarProxy, more: str) -> str:
    """Two agents behind the gateway, tests as fast as they may be."""
    agents = "".join(
        f'[agents.{name}]\nbase_url = "https://{host}:{proxy.port}"\nnetworks = ["127.0.0.0/8"]\n'
        for name, host in (("pricing", PRICING), ("fares", FARES))
    )
    names = "".join(f'"{host}" = "127.0.0.1"\n' for host in (PRICING, FARES, HOOKS))
    return f'[tls]\nca_bundle = "{proxy.ca_file}"\nonly = true\n[hosts]\n{names}{agents}{more}'


@contextlib.asynccontextmanager
async def stage(
    proxy: LiarProxy, server: Server, folder: Path, more: str = CONTRACT, *, only: tuple[str, ...] = SERVICES
) -> AsyncIterator[Stage]:
    """The services as tasks of this process, each with a folder of its own; ended as SIGTERM would."""
    for host in (PRICING, FARES):
        proxy.cards.setdefault(host, card(f"https://{host}:{proxy.port}"))
    text = settings_for(proxy, more)
    (folder / "cardtrail.toml").write_text(text, "utf-8")
    settings = read_settings(text, "cardtrail.toml", folder)
    stop, contexts, tasks = asyncio.Event(), dict[str, Context](), list[asyncio.Future[None]]()
    async with contextlib.AsyncExitStack() as stack:
        bus = await stack.enter_async_context(Bus(server.url, streams=SMALL))
        await tell_settings(bus, settings, read_locks(settings))
        for name in only:
            own = folder / name
            own.mkdir(parents=True, exist_ok=True)
            line = await stack.enter_async_context(Bus(server.url, name=name, streams=SMALL))
            contexts[name] = Context(name=name, settings=settings, bus=line, folder=own, stop=stop)
            tasks.append(asyncio.ensure_future(app(name)(contexts[name])))
        held = Stage(server, bus, proxy, contexts)
        tasks.append(asyncio.create_task(run_fold(bus, held.log, held.log, stop=stop)))
        following = asyncio.create_task(held.follow())
        try:
            yield held
        finally:
            await ended(following)
            stop.set()
            await asyncio.wait_for(asyncio.gather(*tasks), WAIT_S)
