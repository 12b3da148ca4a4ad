"""The fleet at an instant is what a fold of the log up to there says, wherever the reading began; what is kept is bounded."""

import asyncio
import random
from collections.abc import Mapping
from typing import Any

from hypothesis import given as law
from hypothesis import strategies as st

from cardtrail.projections.projection import Rows
from cardtrail.services.bus.attempt import PARKED
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.stores import MemoryStore
from cardtrail.services.web.asked import Asked
from cardtrail.services.web.fleets import PLACES, Fleets, Kept
from cardtrail.services.web.known import Known
from cardtrail.services.web.views.fleet import Fleet, fleet
from tests.bench.generate import Generator
from tests.nats_server import fresh_bus
from tests.services.web.scene import NOW


def shown(known: Known) -> Fleet:
    return fleet(known, Asked("/"), NOW)


def test_any_instant_in_any_order_is_what_a_fresh_reading_says() -> None:
    async def run(bus: Bus) -> None:
        facts = [stored.fact for stored in Generator(12).facts(600)]
        await bus.tell(facts)
        long_asked = Fleets(bus, every=50)
        for through in random.Random(3).sample(range(601), 8):
            held = await long_asked.at("public", through)
            fresh = await Fleets(bus).at("public", through)
            assert shown(held) == shown(fresh)
            assert _rows(held.tables) == _rows(fresh.tables)
            assert held.tables.get(PARKED, {}) == {}
        assert len(shown(await long_asked.at("public", 600)).rows) == 12

    async def started() -> None:
        async with fresh_bus() as (bus, _):
            await run(bus)

    asyncio.run(started())


def _rows(tables: Mapping[str, Any]) -> Any:
    return {name: rows for name, rows in tables.items() if rows}


@law(st.lists(st.integers(1, 10_000), max_size=200))
def test_what_is_kept_is_bounded_and_the_nearest_before(positions: list[int]) -> None:
    kept = Kept(every=10)
    for position in positions:
        kept.keep(position, {"t": {("k",): {"at": position}}})
    for through in (0, 5_000, 10_000):
        position, tables = kept.before(through)
        assert position <= through
        assert tables == ({"t": {("k",): {"at": position}}} if position else {})
    assert len(kept._places) <= PLACES  # noqa: SLF001 — what must not grow is seen nowhere else


def test_a_place_does_not_change_with_what_is_read_after_it() -> None:
    async def run() -> None:
        kept, store = Kept(every=1), MemoryStore()
        store.tables = {"t": {("k",): {"n": 1}}}
        kept.keep(1, store.tables)
        rows = Rows(store.tables)
        rows.put("t", ("k",), {"n": 2})
        await store.commit(rows, 2)
        assert kept.before(5) == (1, {"t": {("k",): {"n": 1}}})

    asyncio.run(run())
