"""A replay whose store or broker does not go on ends by saying so; nobody waits for it without end."""

import asyncio

import pytest

from cardtrail.events.errors import Unreachable
from cardtrail.projections.projection import Rows
from cardtrail.services.bus.runner import Progress
from cardtrail.services.bus.stores import MemoryStore
from cardtrail.services.rebuild import fold_until
from tests.nats_server import fresh_bus
from tests.services.bus.facts import Numbers, fetched
from tests.streams import PATIENCE_S


class Full(MemoryStore):
    """A disk that takes nothing any more after so many commits."""

    def __init__(self, takes: int) -> None:
        super().__init__()
        self.takes = takes

    async def commit(self, rows: Rows, position: int) -> None:
        if self.takes == 0:
            raise Unreachable("store-failed", "no space left on device")
        self.takes -= 1
        await super().commit(rows, position)


@pytest.mark.parametrize("takes", [0, 1])
def test_a_disk_that_takes_nothing_more_ends_a_replay_where_it_stands(takes: int) -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            await bus.tell([fetched("a", number) for number in range(1, 101)])
            seen = Progress()
            with pytest.raises(Unreachable) as stalled:
                async with asyncio.timeout(PATIENCE_S):
                    await fold_until(bus, Numbers(), Full(takes), 101, seen, patience_s=0.5)
            assert (stalled.value.code, stalled.value.message) == (
                "replay-stalled",
                f"numbers stands still at fact {seen.position}",
            )

    asyncio.run(run())


def test_a_broker_that_dies_for_good_ends_a_replay_and_one_that_comes_back_does_not() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, server):
            await bus.tell([fetched("a", number) for number in range(1, 101)])
            server.kill()
            with pytest.raises(Unreachable):
                async with asyncio.timeout(PATIENCE_S):
                    await fold_until(bus, Numbers(), MemoryStore(), 100, Progress(), patience_s=0.5)
            store = MemoryStore()
            folding = asyncio.create_task(fold_until(bus, Numbers(), store, 100, Progress(), patience_s=PATIENCE_S))
            await asyncio.to_thread(server.revive)
            await asyncio.wait_for(folding, PATIENCE_S)
            assert store.position == 100

    asyncio.run(run())
