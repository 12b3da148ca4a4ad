"""A bucket of one principal that cannot be read or written is tried again and told of; the other principals' go on."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from cardtrail.events import AgentTracked, Fact
from cardtrail.events.agent_tracked import Target
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.kv_store import KvStore
from cardtrail.services.bus.names import kv_stream, kv_subject
from cardtrail.services.bus.progress import Progress
from cardtrail.services.projector.app import run
from cardtrail.services.service import Context
from cardtrail.services.settings import BrokerSettings, Settings
from cardtrail.services.telling import operator_fact
from tests.nats_server import fresh_bus
from tests.services.bus.crowd import LIMIT, crowd
from tests.streams import PATIENCE_S

FOLD = "routes"


def tracked(agent: str, principal: str) -> Fact:
    target = Target(kind="document", value="no card")
    return operator_fact(AgentTracked(agent=agent, principal=principal, target=target), "test")


@asynccontextmanager
async def projector(bus: Bus, folder: Path) -> AsyncIterator[Context]:
    """The projector at work; it must still be when it is asked to stop."""
    context = Context("projector", Settings(broker=BrokerSettings(data=folder)), bus, folder, asyncio.Event())
    working = asyncio.create_task(run(context))
    try:
        yield context
        assert not working.done()
    finally:
        context.stop.set()
        await working


async def reaches(context: Context, principal: str, sequence: int) -> None:
    await asyncio.wait_for(context.watched(f"{FOLD}/{principal}").reaches(sequence), PATIENCE_S)


async def until(seen: Progress, *, failing: bool) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while bool(seen.failing) is not failing:  # noqa: ASYNC110 — health checks look, too
            await asyncio.sleep(0.02)


def test_a_bucket_that_cannot_be_read_holds_up_nobody_else_and_goes_on_once_it_can(tmp_path: Path) -> None:
    async def go() -> None:
        async with fresh_bus() as (bus, _):
            await KvStore(bus, FOLD, "ill").load()
            place = kv_subject(f"{FOLD}_ill", "foreign")
            await bus.connection.js.publish(place, b"no row of ours")
            first = (await bus.tell([tracked("a", principal) for principal in ("well", "ill")]))[-1]
            async with projector(bus, tmp_path) as context:
                ill = context.watched(f"{FOLD}/ill")
                await until(ill, failing=True)
                last = (await bus.tell([tracked("b", "well")]))[-1]
                await reaches(context, "well", last)
                await reaches(context, "public", last)
                assert (ill.position, bool(ill.failing), last > first) == (0, True, True)
                gone = b'{"table": "t", "key": ["foreign"], "row": null, "through": 0}'
                await bus.connection.js.publish(place, gone)
                await reaches(context, "ill", last)
                await until(ill, failing=False)

    asyncio.run(go())


def test_a_bucket_that_cannot_be_written_says_so_until_it_is_ahead_of_where_it_was(tmp_path: Path) -> None:
    async def go() -> None:
        async with fresh_bus() as (bus, _):
            await KvStore(bus, FOLD, "ill").load()
            js, stream = bus.connection.js, kv_stream(f"{FOLD}_ill")
            config = (await js.stream_info(stream)).config
            async with projector(bus, tmp_path) as context:
                first = (await bus.tell([tracked("a", "ill"), tracked("a", "well")]))[-1]
                await reaches(context, "ill", first)
                await js.update_stream(config.evolve(max_msg_size=1))
                last = (await bus.tell([tracked("b", "ill")]))[-1]
                ill = context.watched(f"{FOLD}/ill")
                await until(ill, failing=True)
                await reaches(context, "well", last)
                await js.update_stream(config)
                await reaches(context, "ill", last)
                await until(ill, failing=False)

    asyncio.run(go())


def test_buckets_on_which_nobody_can_make_a_consumer_any_more_are_kept_all_the_same(tmp_path: Path) -> None:
    async def go() -> None:
        async with fresh_bus() as (bus, _):
            await KvStore(bus, FOLD, "public").load()
            assert await crowd(bus, f"{FOLD}_public") == LIMIT
            async with projector(bus, tmp_path) as context:
                last = (await bus.tell([tracked("a", "public")]))[-1]
                await reaches(context, "public", last)
                assert context.watched(f"{FOLD}/public").failing == ""

    asyncio.run(go())
