"""The stage of a worked example: a private authority, agents on real HTTPS, the whole tracker, one planner listening."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from cardtrail.events import CardFetched, CardRefused, ChangeDecided, Event, LockfilePinned, Stored
from cardtrail.events.errors import Unreachable
from cardtrail.events.fact import PUBLIC
from cardtrail.services.bus.alone import ended
from cardtrail.services.bus.live import decisions
from cardtrail.services.bus.questions import ask
from cardtrail.services.bus.schedules import Due, schedule
from cardtrail.services.bus.watch import Change, Watch
from cardtrail.services.config_file import read_settings
from cardtrail.services.demo.certificates import issue
from cardtrail.services.demo.host import DemoHost
from cardtrail.services.service import HEALTH
from cardtrail.services.settings import Settings
from cardtrail.services.system import System, running
from cardtrail.services.telling import operator_fact

_POLL_S, _LONGEST_S = 0.02, 600.0
_SLOW = "this machine is slow or busy: run it again when less runs beside it"
T = TypeVar("T")
_FOLDS = (("compiler", "compiler"), ("decider", "decider"), ("projector", "routes/public"), ("projector", "duckdb"))


@dataclass
class Received:
    """What the planner was told: the decision, and how many milliseconds after the card was stored."""

    decision: ChangeDecided
    after_ms: float


@dataclass
class Stage:
    """A running example; `received` fills while it runs, `routes` is the planner's view by (workflow, skill)."""

    system: System
    host: DemoHost
    folder: Path
    settings: Settings
    received: list[Received] = field(default_factory=list)
    routes: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    folds: tuple[tuple[str, str], ...] = _FOLDS

    async def look(self, agent: str, principal: str = PUBLIC) -> Stored:
        """Have the agent looked at now, wait until everything that follows is done; the observation's fact."""
        before = (await self.system.bus.info()).last
        due = Due(what="refresh", due=datetime.now(UTC), agent=agent, principal=principal)
        await schedule(self.system.bus, [due])
        seen = await self._observation(agent, before)
        await self.settled()
        return seen

    async def tell(self, event: Event) -> None:
        """Tell an operator's fact and wait until everything that follows is done."""
        await self.system.bus.tell([operator_fact(event, "demo")])
        if isinstance(event, LockfilePinned):
            await self._observation(event.agent, (await self.system.bus.info()).last)
        await self.settled()

    async def settled(self) -> None:
        """Wait until every fold has seen the whole log and nothing new came of it."""
        last, reached = -1, 0
        while reached < last or last != (last := (await self.system.bus.info()).last):
            reached = min([await self._position(service, fold) for service, fold in self.folds])
            await asyncio.sleep(_POLL_S)

    async def until(self, holds: Callable[[list[Stored]], T | None]) -> T:
        """What `holds` says of the whole log, once it says something.

        Raises:
            Unreachable: `service-unreachable`, after ten minutes: a slow machine shall come to it, too.
        """
        deadline = asyncio.get_running_loop().time() + _LONGEST_S
        while (found := holds(await self.facts())) is None:
            if asyncio.get_running_loop().time() > deadline:
                said = f"the tracker did not come to it within {_LONGEST_S:.0f} s"
                raise Unreachable("service-unreachable", said, hint=_SLOW)
            await asyncio.sleep(_POLL_S)
        return found

    async def facts(self) -> list[Stored]:
        """The whole log."""
        last = (await self.system.bus.info()).last
        found = [await self.system.bus.at(sequence) for sequence in range(1, last + 1)]
        return [stored for stored in found if stored is not None]

    async def _observation(self, agent: str, after: int) -> Stored:
        sequence = after + 1
        while True:
            stored = await self.system.bus.at(sequence)
            if stored is None:
                await asyncio.sleep(_POLL_S)
                continue
            event = stored.fact.data
            if isinstance(event, CardFetched | CardRefused) and event.agent == agent:
                return stored
            sequence += 1

    async def _position(self, service: str, fold: str) -> int:
        folds = (await ask(self.system.bus, f"{HEALTH}.{service}", {}))["folds"]
        return int(folds.get(fold, {}).get("position", 0))

    async def listen(self, workflow: str) -> None:
        """Collect decisions as a planner gets them, until cancelled."""
        async for live in decisions(self.system.bus.connection, workflow):
            if live.fact is not None and isinstance(live.fact.data, ChangeDecided):
                now = datetime.now(UTC)
                stored_at = datetime.fromisoformat(live.fact.data.valid_from)
                self.received.append(Received(live.fact.data, (now - stored_at).total_seconds() * 1_000))

    async def follow(self) -> None:
        """Keep the planner's view of its routes, until cancelled."""
        async for change in Watch(self.system.bus.connection, "routes", "public").changes():
            if isinstance(change, Change) and change.table == "routes" and change.row is not None:
                self.routes[(change.key[1], change.key[2])] = change.row


@contextlib.asynccontextmanager
async def stage(
    folder: Path, host_names: tuple[str, ...], environment: Mapping[str, str]
) -> AsyncIterator["Backstage"]:
    """The agents' host, serving; the tracker starts with `Backstage.open`."""
    files = issue(folder, host_names, datetime.now(UTC))
    with DemoHost(files.chain, files.key) as host:
        yield Backstage(folder, files.authority, host, environment)


@dataclass
class Backstage:
    """Before the curtain: cards can be published; `open` starts the tracker with these settings."""

    folder: Path
    authority: Path
    host: DemoHost
    environment: Mapping[str, str]

    @contextlib.asynccontextmanager
    async def open(self, settings: str, workflow: str) -> AsyncIterator[Stage]:
        """Start everything; `settings` is the rest of a `cardtrail.toml`."""
        text = f'[tls]\nca_bundle = "{self.authority.name}"\n[web]\nport = 0\n{settings}'
        config = self.folder / "cardtrail.toml"
        config.write_text(text, "utf-8")
        parsed = read_settings(text, str(config), self.folder)
        async with running(parsed, config, self.environment) as system:
            held = Stage(system, self.host, self.folder, parsed)
            tasks = [asyncio.create_task(held.listen(workflow)), asyncio.create_task(held.follow())]
            try:
                yield held
            finally:
                await ended(*tasks)
