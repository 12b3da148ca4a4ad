"""The page knows what the buckets of a principal hold back, and about whom."""

import asyncio
from datetime import UTC, datetime

from cardtrail.projections.one_principal import OnePrincipal
from cardtrail.projections.routes import Routes
from cardtrail.services.bus.alone import ended
from cardtrail.services.bus.kv_store import KvStore
from cardtrail.services.bus.progress import Progress
from cardtrail.services.bus.publish import Message
from cardtrail.services.bus.runner import run_fold
from cardtrail.services.web.memory import Held, Memory
from cardtrail.services.web.pulse import Pulse
from tests.nats_server import fresh_bus
from tests.services.bus.facts import fetched
from tests.streams import PATIENCE_S


def test_facts_that_cannot_be_applied_are_counted_with_the_agent_and_only_for_who_may_see_it() -> None:
    async def run() -> tuple[Held, Held]:
        async with fresh_bus() as (bus, _), asyncio.TaskGroup() as tasks:
            broken = bus.message(fetched("p.example", 1))
            data = broken.data.replace(b'"latency_ms":1', b'"latency_ms":"no"')
            assert data != broken.data
            await bus.publish([Message(subject=broken.subject, data=data)])
            await bus.tell([fetched("p.example", 2), fetched("ok.example", 3)])
            stop, pulse = asyncio.Event(), Pulse()
            memory = Memory(bus, pulse, tasks, datetime.now(UTC))
            folding = []
            for principal in ("public", "team-b"):
                fold, store, seen = OnePrincipal(Routes(), principal), KvStore(bus, "routes", principal), Progress()
                run = run_fold(bus, fold, store, kept_in=principal, stop=stop, progress=seen)
                folding.append(asyncio.create_task(run))
                await asyncio.wait_for(seen.reaches(3), PATIENCE_S)
                memory.watch(principal)
            version = 0
            async with asyncio.timeout(PATIENCE_S):
                while memory.held("public").facts < 2:
                    version = await pulse.after(version, PATIENCE_S)
            found = memory.held("public"), memory.held("team-b")
            stop.set()
            await asyncio.gather(*folding)
            await memory.end()
            await ended(*folding)
            return found

    public, team = asyncio.run(run())
    assert public == Held(2, ("p.example",))
    assert team == Held(0, ())
