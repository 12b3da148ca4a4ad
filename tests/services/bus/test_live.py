"""Decisions reach planners once, only when stored, and what was missed shows as a gap."""

import asyncio

from cardtrail.events import encode
from cardtrail.services.bus.live import LiveDecision, decisions
from tests.nats_server import fresh_bus
from tests.services.bus.facts import decided, fetched
from tests.streams import PATIENCE_S


def test_a_stored_decision_is_heard_once_with_its_sequence_and_a_repeat_not_at_all() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            heard = aiter(decisions(bus.connection, "my flow"))
            first = asyncio.ensure_future(anext(heard))
            await asyncio.sleep(0)
            await bus.info()  # an answer comes after the subscription has reached the broker
            told = [decided("my flow", through=1), decided("other"), decided("my flow", through=2)]
            await bus.tell([fetched(), *told])
            await bus.tell(told)
            await bus.tell([decided("my flow", through=3)])
            seen = [await asyncio.wait_for(first, PATIENCE_S)] + [
                await asyncio.wait_for(anext(heard), PATIENCE_S) for _ in range(2)
            ]
            assert [(one.sequence, one.gap) for one in seen] == [(2, False), (4, False), (5, False)]
            assert [one.fact for one in seen[:2]] == [told[0], told[2]]

    asyncio.run(run())


def test_a_lost_connection_is_a_gap() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, running):
            heard = aiter(decisions(bus.connection, "w"))
            first = asyncio.ensure_future(anext(heard))
            await asyncio.sleep(0)
            await bus.info()
            running.kill()
            assert await asyncio.wait_for(first, PATIENCE_S) == LiveDecision(fact=None, sequence=0, gap=True)
            running.revive()
            await bus.connection.connected.wait()
            await bus.tell([decided("w")])
            following = [await asyncio.wait_for(anext(heard), PATIENCE_S) for _ in range(2)]
            assert [one.sequence for one in following] == [0, 1]

    asyncio.run(run())


def test_what_is_no_decision_of_this_release_is_a_gap_and_what_follows_is_heard() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            heard = aiter(decisions(bus.connection, "w"))
            first = asyncio.ensure_future(anext(heard))
            await asyncio.sleep(0)
            await bus.info()
            await bus.connection.nc.publish("cardtrail.live.decisions.w.a", b"{}")  # of no log: without a sequence
            newer = encode(decided("w")).replace(b".v1", b".v7")
            await bus.connection.js.publish("cardtrail.decisions.w.a", newer)
            told = decided("w", through=9)
            await bus.tell([told])
            seen = [await asyncio.wait_for(first, PATIENCE_S)] + [
                await asyncio.wait_for(anext(heard), PATIENCE_S) for _ in range(2)
            ]
            assert [(one.fact, one.gap) for one in seen[:2]] == [(None, True), (None, True)]
            assert seen[2].fact == told

    asyncio.run(run())
