"""Compiler and decider on a real broker: from a body to a decision, over restarts, and when a deadline comes."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

from cardtrail.events import (
    CardFetched,
    CardRefused,
    ChangeDecided,
    Event,
    Fact,
    LockfilePinned,
    PolicyDeclared,
    Stored,
)
from cardtrail.events.canonical import digest
from cardtrail.events.errors import Unreachable
from cardtrail.events.fact import observation_id
from cardtrail.events.model.policy import Policy
from cardtrail.services.bus.bus import Bus
from cardtrail.services.compiler import app as compiler
from cardtrail.services.decider import app as decider
from cardtrail.services.service import Context
from cardtrail.services.settings import Settings
from tests.nats_server import Server, fresh_bus
from tests.services.compiler.test_compiled import card
from tests.services.decider.scene import AGENT, LOCK, lock
from tests.streams import PATIENCE_S

URL = "https://pricing.partner.example/card.json"
QUOTE = {"id": "itinerary-pricing", "name": "Quote", "description": "d", "tags": ["t"]}


class Teller:
    """Tells facts of one agent on a real log, ids growing as an observer's do."""

    def __init__(self, bus: Bus) -> None:
        self.bus, self.count = bus, 0

    async def tell(self, event: Event) -> int:
        self.count += 1
        now = datetime.now(UTC)
        number = observation_id(int(now.timestamp() * 1000) + self.count, self.count.to_bytes(10, "big"))
        (sequence,) = await self.bus.tell([Fact(id=number, source="test", time=now, data=event)])
        return sequence

    async def card(self, **members: object) -> int:
        body = json.dumps(card(skills=[QUOTE], **members)).encode()
        while True:
            try:
                named = await self.bus.put_body(AGENT, "public", body)
                break
            except Unreachable:
                await self.bus.connection.connected.wait()
        return await self.tell(CardFetched(agent=AGENT, raw_digest=named, location=URL))


@contextlib.asynccontextmanager
async def running(server: Server, folder: Path, *names: str) -> AsyncIterator[dict[str, Context]]:
    """These services, each on a connection of its own, ended as SIGTERM would."""
    apps = {"compiler": compiler.run, "decider": decider.run}
    async with contextlib.AsyncExitStack() as stack:
        stop, contexts, tasks = asyncio.Event(), {}, []
        for name in names:
            bus = await stack.enter_async_context(Bus(server.url, name=name))
            contexts[name] = Context(name=name, settings=Settings(), bus=bus, folder=folder, stop=stop)
            tasks.append(asyncio.create_task(apps[name](contexts[name])))
        try:
            yield contexts
        finally:
            stop.set()
            await asyncio.wait_for(asyncio.gather(*tasks), PATIENCE_S)


async def decided(bus: Bus, count: int) -> list[ChangeDecided]:
    """The first `count` decisions on the log, as soon as they are there."""
    found: list[ChangeDecided] = []
    sequence = 1
    async with asyncio.timeout(PATIENCE_S):
        while len(found) < count:
            stored: Stored | None = await bus.at(sequence)
            if stored is None:
                await asyncio.sleep(0.02)
                continue
            sequence += 1
            if isinstance(stored.fact.data, ChangeDecided):
                found.append(stored.fact.data)
    return found


async def settled(contexts: dict[str, Context], bus: Bus) -> None:
    """Everybody has read everything, their own words included."""
    async with asyncio.timeout(PATIENCE_S):
        last = 0
        while (now := (await bus.info()).last) != last:
            last = now
            for name, context in contexts.items():
                await context.watched(name).reaches(last)


def pin() -> LockfilePinned:
    needs = lock().requires
    plain = needs.model_copy(
        update={"skills": {"itinerary-pricing": needs.skills["itinerary-pricing"].model_copy(update={"scopes": ()})}}
    )
    return LockfilePinned(agent=AGENT, workflow="trip", lockfile=lock(requires=plain), lock_digest=LOCK)


def test_from_a_body_to_decisions_over_restarts(tmp_path: Path) -> None:
    async def story() -> None:
        async with fresh_bus() as (bus, server):
            teller = Teller(bus)
            async with running(server, tmp_path, "compiler", "decider") as contexts:
                await teller.card()
                await teller.tell(pin())
                await teller.tell(CardFetched(agent=AGENT, same_as=1, status=304))
                assert [one.verdict for one in await decided(bus, 1)] == ["compatible"]
                await settled(contexts, bus)
            await teller.card(capabilities={"streaming": False})
            async with running(server, tmp_path, "decider"):
                await teller.card()
            async with running(server, tmp_path, "compiler", "decider") as contexts:
                await settled(contexts, bus)
                told = await decided(bus, 3)
                assert [one.verdict for one in told] == ["compatible", "breaking", "compatible"]
                assert [one.recovered for one in told] == [False, False, True]
                before = (await bus.info()).facts
            async with running(server, tmp_path, "compiler", "decider") as contexts:
                await teller.card(description="other words")
                await settled(contexts, bus)
                assert (await bus.info()).facts == before + 1

    asyncio.run(story())


def test_a_deadline_comes_as_a_fact_and_is_decided(tmp_path: Path) -> None:
    async def story() -> None:
        async with fresh_bus() as (bus, server):
            teller = Teller(bus)
            policy = Policy(grace_s=1)
            async with running(server, tmp_path, "compiler", "decider"):
                await teller.tell(PolicyDeclared(policy=policy, digest=digest(policy)))
                await teller.tell(pin())
                await teller.card()
                await decided(bus, 1)
                await teller.tell(CardRefused(agent=AGENT, stage="parse", reason="json-syntax"))
                told = await decided(bus, 3)
                assert [(one.verdict, one.cause) for one in told] == [
                    ("compatible", "pin"),
                    ("review", "agent"),
                    ("breaking", "time"),
                ]

    asyncio.run(story())


def test_a_broker_that_dies_on_the_way_costs_nothing(tmp_path: Path) -> None:
    async def story() -> None:
        async with fresh_bus() as (bus, server):
            teller = Teller(bus)
            async with running(server, tmp_path, "compiler", "decider") as contexts:
                await teller.tell(pin())
                await teller.card()
                await decided(bus, 1)
                server.kill()
                server.revive()
                await teller.card(capabilities={"streaming": False})
                assert [one.verdict for one in await decided(bus, 2)] == ["compatible", "breaking"]
                await settled(contexts, bus)

    asyncio.run(story())


def test_derivers_that_lost_their_memory_read_the_log_in_silence(tmp_path: Path) -> None:
    async def story() -> None:
        async with fresh_bus() as (bus, server):
            teller = Teller(bus)
            async with running(server, tmp_path, "compiler", "decider"):
                await teller.tell(pin())
                for streaming in (True, False, True):
                    await teller.card(capabilities={"streaming": streaming})
                told = await decided(bus, 3)
            for name in ("compiler", "decider"):
                await bus.connection.js.delete_stream(f"KV_state_{name}")
            async with running(server, tmp_path, "compiler", "decider") as contexts:
                await settled(contexts, bus)
                assert max(one.considered_through for one in told) > 1
                assert {name: context.watched(name).told for name, context in contexts.items()} == {
                    "compiler": 1,
                    "decider": 1,
                }
                await teller.card(capabilities={"streaming": False})
                assert [one.verdict for one in await decided(bus, 4)] == [
                    "compatible",
                    "breaking",
                    "compatible",
                    "breaking",
                ]

    asyncio.run(story())
