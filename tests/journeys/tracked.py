"""A running tracker for a journey: real processes, a real nats-server, agents on real HTTPS that a test moves step by step."""

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from cardtrail.events import AgentEvent, CardFetched, CardRefused, Event, Stored
from cardtrail.events.canonical import raw_digest
from cardtrail.events.errors import Unreachable
from cardtrail.events.fact import told_ms
from cardtrail.services.bus.alone import ended
from cardtrail.services.bus.kv_read import read_row
from cardtrail.services.bus.questions import ask
from cardtrail.services.bus.schedules import Due, schedule
from cardtrail.services.config_file import read_settings
from cardtrail.services.service import HEALTH
from cardtrail.services.system import System, running
from cardtrail.services.telling import operator_fact
from tests.agent_host import AgentHost, Reply

WELL_KNOWN = "/.well-known/agent-card.json"
_POLL_S = 0.02


@dataclass
class Tracked:
    """The tracker at work; `positions` is refreshed while anybody waits for one."""

    system: System
    host: AgentHost
    names: dict[str, str]
    served: dict[str, str] = field(default_factory=dict)
    positions: dict[tuple[str, str], int] = field(default_factory=dict)
    _turn: asyncio.Condition = field(default_factory=asyncio.Condition)

    def publish(self, name: str, body: bytes) -> None:
        """From now on the agent at this host name serves these bytes."""
        self.served[name] = raw_digest(body)
        self.host.serve(WELL_KNOWN, Reply(body, headers={"Content-Type": "application/json"}), host=name)

    async def look(self, agent: str) -> Stored:
        """Have an agent looked at; the observation, once everything that follows from it is decided and projected.

        What was begun before is passed over: it may have seen what was there then, or come too late to count. Where the
        agent serves a card, a look that brought none (a host too busy to answer in time) is made again.
        """
        served = self.served.get(self.names.get(agent, ""))
        while True:
            seen = await self.looked(agent)
            if not served or await self.body(seen):
                await self.decided(seen.sequence)
                return seen

    async def looked(self, agent: str) -> Stored:
        """The observation of a look that is begun now."""
        seen = (await self.system.bus.info()).last
        asked = datetime.now(UTC)
        await schedule(self.system.bus, [Due(what="refresh", due=asked, agent=agent)])
        while True:
            found = await self.observed(agent, seen)
            if told_ms(found.fact.id) > asked.timestamp() * 1000:
                return found
            seen = found.sequence

    async def body(self, seen: Stored) -> str:
        """The digest of what an observation saw, "" where it saw no body."""
        event = seen.fact.data
        assert isinstance(event, CardFetched | CardRefused)
        if isinstance(event, CardFetched) and event.same_as is not None:
            same = await self.system.bus.at(event.same_as)
            return await self.body(same) if same is not None else ""
        return event.raw_digest

    async def tell(self, event: Event) -> int:
        """Tell an operator's fact; its sequence."""
        return (await self.system.bus.tell([operator_fact(event, "test")]))[0]

    async def observed(self, agent: str, after: int) -> Stored:
        """The first observation of an agent behind a sequence."""
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

    async def decided(self, sequence: int) -> None:
        """Returns once a fact is compiled, judged and projected."""
        await self.reaches("compiler", "compiler", sequence)
        await self.reaches("decider", "decider", (await self.system.bus.info()).last)
        await self.reaches("projector", "lockfile_status/public", (await self.system.bus.info()).last)

    async def reaches(self, service: str, fold: str, sequence: int) -> None:
        """Returns once a fold has committed a sequence."""
        async with self._turn:
            await self._turn.wait_for(lambda: self.positions.get((service, fold), 0) >= sequence)

    async def status(self, workflow: str, agent: str) -> dict[str, Any]:
        """The lock's row, {} where there is none."""
        key = ("public", workflow, agent)
        return await read_row(self.system.bus, "lockfile_status", "public", "lockfile_status", key) or {}

    async def facts(self) -> list[Stored]:
        """The whole log."""
        last = (await self.system.bus.info()).last
        found = await asyncio.gather(*(self.system.bus.at(sequence) for sequence in range(1, last + 1)))
        return [stored for stored in found if stored is not None]

    async def of(self, agent: str) -> list[Stored]:
        """The facts about one agent."""
        return [
            one for one in await self.facts() if isinstance(one.fact.data, AgentEvent) and one.fact.data.agent == agent
        ]

    async def poll(self) -> None:
        """Ask the services where they are, until cancelled; a service that is down answers later."""
        while True:
            for service in ("compiler", "decider", "projector"):
                with contextlib.suppress(Unreachable):
                    folds = (await ask(self.system.bus, f"{HEALTH}.{service}", {}, within_s=5.0))["folds"]
                    self.positions |= {(service, name): int(fold["position"]) for name, fold in folds.items()}
            async with self._turn:
                self._turn.notify_all()
            await asyncio.sleep(_POLL_S)


@contextlib.asynccontextmanager
async def tracking(folder: Path, names: dict[str, str], settings: str = "") -> AsyncIterator[Tracked]:
    """Agents (name → host name) on one HTTPS host, tracked by a fresh tracker."""
    with AgentHost(*names.values()) as host:
        blocks = [
            f'[agents."{agent}"]\ncard_url = "{host.url(WELL_KNOWN, name)}"\nnetworks = ["127.0.0.0/8"]\n'
            for agent, name in names.items()
        ]
        page = "" if "[web]" in settings else "[web]\nport = 0\n"  # other workers have trackers, too
        hosts = "[hosts]\n" + "".join(f'"{name}" = "127.0.0.1"\n' for name in names.values())
        limits = "[limits]\nhost_gap_s = 0\n"
        text = f'{page}[tls]\nca_bundle = "{host.ca_file}"\n{limits}{hosts}{settings}\n' + "".join(blocks)
        config = folder / "cardtrail.toml"
        config.write_text(text)
        environment = {name: value for name, value in os.environ.items() if name != "NATS_URL"}
        async with running(read_settings(text, str(config), folder), config, environment) as system:
            held = Tracked(system, host, names)
            polling = asyncio.create_task(held.poll())
            try:
                yield held
            finally:
                await ended(polling)
