"""Many who tell at once: no fold passes over a fact that was stored while it read, in whatever mode it reads."""

import asyncio
from contextlib import AsyncExitStack

import pytest

from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.progress import Progress
from cardtrail.services.bus.readers import BULK, REPLAY, TAIL, Mode
from cardtrail.services.bus.runner import run_fold
from cardtrail.services.bus.stores import MemoryStore
from tests.nats_server import fresh_bus
from tests.services.bus.facts import Numbers, fetched
from tests.streams import PATIENCE_S

TELLERS, BATCHES, EACH = 6, 40, 5
WHOLE = TELLERS * BATCHES * EACH


@pytest.mark.parametrize("mode", [TAIL, BULK, REPLAY], ids=["tail", "bulk", "replay"])
def test_what_several_tell_at_once_is_folded_whole_and_in_the_order_of_the_log(mode: Mode) -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, server), AsyncExitStack() as stack:
            tellers = [await stack.enter_async_context(Bus(server.url, name=f"teller-{at}")) for at in range(TELLERS)]
            stop, seen, store = asyncio.Event(), Progress(), MemoryStore()
            folding = asyncio.create_task(run_fold(bus, Numbers(), store, mode=mode, stop=stop, progress=seen))

            async def tell(number: int, teller: Bus) -> list[tuple[int, int]]:
                told: list[tuple[int, int]] = []
                for batch in range(BATCHES):
                    facts = [fetched("one", 1_000_000 * number + EACH * batch + at + 1) for at in range(EACH)]
                    sequences = await teller.tell(facts)
                    told += [(place, fact.data.latency_ms) for place, fact in zip(sequences, facts, strict=True)]  # type: ignore[attr-defined]
                return told

            told = await asyncio.gather(*(tell(number, teller) for number, teller in enumerate(tellers, 1)))
            await asyncio.wait_for(seen.reaches(WHOLE), PATIENCE_S)
            stop.set()
            await folding
            by_place = dict(sorted(pair for each in told for pair in each))
            assert list(by_place) == list(range(1, WHOLE + 1))
            assert store.tables["numbers"][("one",)]["seen"] == list(by_place.values())

    asyncio.run(run())
