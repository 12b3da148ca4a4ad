"""A running tracker whose settings a test writes itself: looks on cue for any principal, rows of any bucket, every byte kept."""

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from cardtrail.events import AgentEvent, CardFetched, CardRefused, Event, Stored
from cardtrail.events.fact import PUBLIC
from cardtrail.services.bus.kv_read import read_row
from cardtrail.services.bus.questions import ask
from cardtrail.services.bus.schedules import Due, schedule
from cardtrail.services.config_file import read_settings
from cardtrail.services.service import HEALTH
from cardtrail.services.system import System, running
from tests.agent_host import AgentHost
from tests.streams import PATIENCE_S

LOCAL = 'networks = ["127.0.0.0/8"]\n'
_POLL_S = 0.02


@dataclass
class Scene:
    """The tracker at work."""

    system: System
    folder: Path

    async def look(self, agent: str, principal: str = PUBLIC, *, mark: str = "") -> list[Event]:
        """Have an agent looked at; what was observed, once everything that follows is known."""
        before = (await self.system.bus.info()).last
        due = Due(what="refresh", due=datetime.now(UTC), agent=agent, principal=principal, fingerprint=mark)
        await schedule(self.system.bus, [due])
        await self.until(lambda: self._seen(agent, principal, before))
        await self.settled()
        return [
            one.fact.data for one in await self.facts() if one.sequence > before and _observes(one, agent, principal)
        ]

    async def settled(self) -> None:
        """Returns once every fold has seen the whole log and nothing new came of it."""

        async def reached() -> bool:
            last = (await self.system.bus.info()).last
            places = [await self._positions(service) for service in ("fetcher", "compiler", "decider", "projector")]
            return min(min(one, default=0) for one in places) >= last == (await self.system.bus.info()).last

        await self.until(reached)

    async def until(self, holds: Callable[[], Awaitable[Any]]) -> Any:
        """Returns what `holds` says once it is something; a minute at most."""
        async with asyncio.timeout(PATIENCE_S):
            while not (found := await holds()):  # noqa: ASYNC110 — another process decides it, there is nothing to wait on
                await asyncio.sleep(_POLL_S)
            return found

    async def facts(self) -> list[Stored]:
        """The whole log."""
        last = (await self.system.bus.info()).last
        found = await asyncio.gather(*(self.system.bus.at(sequence) for sequence in range(1, last + 1)))
        return [stored for stored in found if stored is not None]

    async def told(self, kind: type[Event]) -> list[Any]:
        """Every event of a kind."""
        return [one.fact.data for one in await self.facts() if isinstance(one.fact.data, kind)]

    async def profile(self, agent: str, principal: str = PUBLIC) -> dict[str, Any]:
        """The row of the current profile, {} where there is none."""
        key = (principal, agent)
        return await read_row(self.system.bus, "current_profile", principal, "current_profile", key) or {}

    async def freshness(self, agent: str, principal: str = PUBLIC) -> dict[str, Any]:
        """The row of freshness."""
        return await read_row(self.system.bus, "current_profile", principal, "freshness", (principal, agent)) or {}

    async def health(self, service: str) -> dict[str, Any]:
        """What a service says of itself."""
        return await ask(self.system.bus, f"{HEALTH}.{service}", {})

    async def kept(self) -> bytes:
        """Every byte that the tracker keeps: each message of each stream and bucket with subject and headers, each file."""
        js, found = self.system.bus.connection.js, []
        for stream in await js.streams_info():
            name, state = stream.config.name, stream.state
            for sequence in range(state.first_seq, state.last_seq + 1):
                with contextlib.suppress(Exception):  # a sequence that was replaced is no message any more
                    message = await js.get_msg(str(name), seq=sequence)
                    found += [str(message.subject).encode(), repr(message.headers).encode(), message.data or b""]
        found += [path.read_bytes() for path in self.folder.rglob("data/**/*") if path.is_file()]
        return b"\n".join(found)

    async def _seen(self, agent: str, principal: str, before: int) -> bool:
        return any(one.sequence > before and _observes(one, agent, principal) for one in await self.facts())

    async def _positions(self, service: str) -> list[int]:
        return [int(fold["position"]) for fold in (await self.health(service))["folds"].values()]


@contextlib.asynccontextmanager
async def scene(folder: Path, host: AgentHost, settings: str, names: Iterable[str] = ()) -> AsyncIterator[Scene]:
    """A fresh tracker over these settings; the host's names resolve to loopback and its authority is believed."""
    hosts = "".join(f'"{name}" = "{host.address}"\n' for name in (*host.names, *names))
    text = (
        f'[web]\nport = 0\n[tls]\nca_bundle = "{host.ca_file}"\n[broker]\ndata = "data"\n[hosts]\n{hosts}\n{settings}'
    )
    config = folder / "cardtrail.toml"
    config.write_text(text, "utf-8")
    environment = {name: value for name, value in os.environ.items() if name != "NATS_URL"}
    async with running(read_settings(text, str(config), folder), config, environment) as system:
        yield Scene(system, folder)


def _observes(stored: Stored, agent: str, principal: str) -> bool:
    event = stored.fact.data
    is_about = isinstance(event, AgentEvent) and (event.agent, event.principal) == (agent, principal)
    return is_about and isinstance(event, CardFetched | CardRefused)


def card(host: AgentHost, at: str, **changes: Any) -> dict[str, Any]:
    """A valid card of the agent at a host name, with changes."""
    return {
        "name": "Rates",
        "description": "Quotes rates.",
        "version": "1.0.0",
        "supportedInterfaces": [{"url": host.url("/a2a", at), "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}],
        "capabilities": {"streaming": False},
        "defaultInputModes": ["application/json"],
        "defaultOutputModes": ["application/json"],
        "skills": [{"id": "quote", "name": "Quote", "description": "Quotes.", "tags": ["fx"]}],
        **changes,
    }
