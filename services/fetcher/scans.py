"""Walks over registries: pages through the door, the agents found told as tracked, one `RegistryScanned` for each walk."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from cardtrail.events import AgentTracked, Event, Fact
from cardtrail.events.canonical import raw_digest
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.kv_read import read_table
from cardtrail.services.bus.outbox import Outbox
from cardtrail.services.bus.schedules import Due
from cardtrail.services.bus.scheduling import SHARED
from cardtrail.services.declared import declared
from cardtrail.services.discovery_settings import RegistrySettings
from cardtrail.services.fetcher.candidate import Candidate
from cardtrail.services.fetcher.dispatch import Dispatch
from cardtrail.services.fetcher.listed import scanned, told_by
from cardtrail.services.fetcher.looks import SOURCE
from cardtrail.services.fetcher.pages import page_fetch
from cardtrail.services.fetcher.registry_walk import walk
from cardtrail.services.fetcher.sources import source_of
from cardtrail.services.fetcher.watched import watching
from cardtrail.services.fresh_id import fresh_id
from cardtrail.services.kept import table
from cardtrail.services.outbound.call import Credential, Send
from cardtrail.services.places import Holder

_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Scans:
    """What a walk needs."""

    bus: Bus
    outbox: Outbox
    send: Send
    registries: Mapping[str, RegistrySettings]
    credentials: Mapping[str, Credential]
    clock: Callable[[], datetime]

    async def scan(self, due: Due) -> tuple[Fact, ...]:
        """Walk the registry that a job names; nothing where the settings no longer have it."""
        registry = self.registries.get(due.agent)
        if registry is None:
            return ()
        source, place = source_of(registry.source)
        fetch = page_fetch(registry, self.send, self.credentials.get(registry.credential), self.clock)
        found = await walk(source, place, fetch)
        told = await declared(self.bus)
        others = [event for key, event in told.agents.items() if not told.gone.get(key, True)]
        others = [event for event in others if event.by != told_by(due.agent)]
        found_at, _ = await read_table(self.bus, Dispatch.name, SHARED, table(Holder))
        watched = watching(others, found_at)
        events = scanned(due.agent, registry, found, told.agents, told.gone, watched)
        await self._keep(found.candidates, events)
        now = self.clock()
        facts = tuple(Fact(id=fresh_id(now), source=SOURCE, time=now, data=event) for event in events)
        for start in range(0, len(facts), _AT_ONCE):
            await self.outbox.tell(facts[start : start + _AT_ONCE])
        return facts

    async def _keep(self, candidates: Sequence[Candidate], events: Sequence[Event]) -> None:
        """Keep the cards that entries hold, before the facts that name them by digest."""
        held = {raw_digest(data): data for data in (one.document() for one in candidates) if data}
        for event in events:
            if isinstance(event, AgentTracked) and event.target.kind == "document":
                await self.outbox.put_body(event.agent, event.principal, held[event.target.value])
