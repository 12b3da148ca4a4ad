"""One look at one agent: what is tracked, what is remembered, through the door, body and fact told; then the job is done."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from cardtrail.events import AgentTracked, Fact
from cardtrail.events.agent_tracked import Target
from cardtrail.events.fact import PUBLIC
from cardtrail.events.model.policy import ClientCapabilities
from cardtrail.events.subjects import shard, token
from cardtrail.projections.projection import Key
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.kv_read import read_row
from cardtrail.services.bus.outbox import Outbox
from cardtrail.services.bus.schedules import Due
from cardtrail.services.bus.scheduling import SHARED
from cardtrail.services.card.document import LIMITS
from cardtrail.services.fetcher.dispatch import Dispatch
from cardtrail.services.fetcher.errand import Errand
from cardtrail.services.fetcher.examine import Checks, nothing_before
from cardtrail.services.fetcher.local import is_digest
from cardtrail.services.fetcher.memory import Memory, memory_key
from cardtrail.services.fetcher.pace import ANEW, FORCED
from cardtrail.services.fetcher.refresh import Outcome, refresh
from cardtrail.services.fetcher.replacement import Known, Means, replaced
from cardtrail.services.fresh_id import fresh_id
from cardtrail.services.kept import read, table
from cardtrail.services.outbound.call import Credential, Send

SOURCE = "cardtrail/fetcher"


@dataclass(frozen=True, slots=True)
class Looks:
    """What a look needs; `full_every_s` seconds is how often the whole card is asked for although it could be a 304."""

    bus: Bus
    outbox: Outbox
    send: Send
    credentials: Mapping[str, Credential]
    checks: Checks
    client: ClientCapabilities
    full_every_s: int
    clock: Callable[[], datetime]

    async def look(self, due: Due) -> tuple[Fact, ...]:
        """Do what a job asks for; the facts told: one, two where an extended card was asked for, none for an agent untracked."""
        tracked = await self._tracked(due.agent, due.principal)
        if tracked is None:
            return ()
        now = self.clock()
        outcomes = await self._outcomes(self._errand(tracked, await self._target(tracked), due), now)
        for outcome in outcomes:
            # What was refused as too large is not kept.
            if outcome.body is not None and len(outcome.body) <= LIMITS.size:
                await self.outbox.put_body(due.agent, due.principal, outcome.body)
        facts = tuple(Fact(id=fresh_id(now), source=SOURCE, time=now, data=outcome.fact) for outcome in outcomes)
        await self.outbox.tell(facts)
        return facts

    async def _outcomes(self, errand: Errand, now: datetime) -> tuple[Outcome, ...]:
        public = await self._memory(memory_key(errand.agent, errand.principal))
        bodies = partial(self.bus.get_body, errand.agent, errand.principal)
        previous = partial(bodies, public.verified) if public.verified else nothing_before
        outcome = await refresh(errand, public, self.send, self.checks, now, previous)
        if errand.principal == PUBLIC:
            return (outcome,)
        known = Known(public, await self._memory(memory_key(errand.agent, errand.principal, extended=True)))
        return await replaced(errand, outcome, known, Means(self.send, self.checks, self.client, bodies), now)

    async def _tracked(self, agent: str, principal: str) -> AgentTracked | None:
        place = f"cardtrail.events.{shard(agent)}.{token(agent)}.{token(principal)}"
        found = (await self.bus.last(f"{place}.agent-tracked.>")).facts
        ended = (await self.bus.last(f"{place}.agent-untracked.>")).facts
        if not found or (ended and ended[-1].sequence > found[-1].sequence):
            return None
        event = found[-1].fact.data
        return event if isinstance(event, AgentTracked) else None

    async def _memory(self, key: Key) -> Memory:
        row = await read_row(self.bus, Dispatch.name, SHARED, table(Memory), key)
        return read(Memory, row) or Memory()

    async def _target(self, tracked: AgentTracked) -> Target:
        """Where to look; a card that a registry holds is kept like every other body, and its fact names it by digest."""
        target = tracked.target
        if target.kind != "document" or not is_digest(target.value):
            return target
        body = await self.bus.get_body(tracked.agent, tracked.principal, target.value)
        return target if body is None else Target(kind="document", value=body.decode("utf-8", "surrogatepass"))

    def _errand(self, tracked: AgentTracked, target: Target, due: Due) -> Errand:
        return Errand(
            agent=tracked.agent,
            target=target,
            principal=tracked.principal,
            policy=tracked.endpoints,
            credential=self.credentials.get(tracked.credential),
            legacy_path=tracked.legacy_path,
            interval_s=tracked.interval_s,
            full_every_s=self.full_every_s,
            forced=due.fingerprint == FORCED,
            anew=due.fingerprint == ANEW,
            stated=tracked.registry_metadata.get("digest", ""),
        )
