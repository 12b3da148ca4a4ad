"""The page remembers where the newest lie; what is older is found in the log, and nobody's news is missed for it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from cardtrail.events import ChangeDecided
from cardtrail.services.bus.alone import ended
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.progress import Progress
from cardtrail.services.web.memory import Memory
from cardtrail.services.web.pasts import Pasts
from cardtrail.services.web.pulse import Pulse
from cardtrail.services.web.trail import Trail
from cardtrail.services.web.window import Window
from tests.bench.generate import Generator
from tests.nats_server import fresh_bus

COUNT, AGENTS, REMEMBERED = 600, 12, 3


@given(st.lists(st.sampled_from("abcdefg"), max_size=60), st.integers(1, 4))
def test_it_holds_no_more_than_it_may_and_tells_below_what_it_knows_nothing(names: list[str], most: int) -> None:
    window = Window[str](most)
    for sequence, name in enumerate(names, 1):
        window.put(name, sequence)
    last = {name: sequence for sequence, name in enumerate(names, 1)}
    held = {name: window.get(name) for name in last if window.get(name) is not None}
    assert len(held) == min(most, len(last))
    assert all(last[name] == place for name, place in held.items())
    assert all(last[name] <= window.floor for name in last.keys() - held.keys())


@asynccontextmanager
async def followed(bus: Bus, last: int) -> AsyncIterator[Trail]:
    """A trail that has read everything and remembers little of it."""
    async with asyncio.TaskGroup() as tasks:
        pulse = Pulse()
        memory = Memory(bus, pulse, tasks, datetime.now(UTC))
        trail = Trail(bus, memory, pulse, Progress(), remembered=REMEMBERED)
        following = tasks.create_task(trail.run())
        version = 0
        while trail.through < last:
            version = await pulse.after(version, 10)
        yield trail
        await ended(following)
        await memory.end()


def test_every_decision_is_found_and_every_agent_has_its_news_however_little_is_remembered() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            facts = list(Generator(AGENTS).facts(COUNT))
            places = await bus.tell([stored.fact for stored in facts])
            decided, news = dict[UUID, int](), dict[str, int]()
            for place, stored in zip(places, facts, strict=True):
                news[getattr(stored.fact.data, "agent", "")] = place
                if isinstance(stored.fact.data, ChangeDecided):
                    decided[stored.fact.id] = place
            assert len(decided) > 2 * REMEMBERED
            async with followed(bus, places[-1]) as trail:
                assert {name: await trail.decision(name) for name in decided} == decided
                assert await trail.decision(facts[0].fact.id) is None
                assert all(trail.news(agent) >= place for agent, place in news.items())
                assert sum(trail.decisions.get(name) is not None for name in decided) == REMEMBERED

    asyncio.run(run())


def test_pasts_are_kept_by_their_bytes_and_one_that_is_too_large_is_read_anew() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            places = await bus.tell([stored.fact for stored in Generator(AGENTS).facts(COUNT)])
            whole = Pasts(bus)
            names = [f"agent-{number}.example" for number in range(AGENTS)]
            for name in names:
                await whole.now(name, "public", (name,), places[-1], away=False)
            some, none = Pasts(bus, whole.size // 3), Pasts(bus, 1)
            for name in names:
                read = [
                    await pasts.now(name, "public", (name,), places[-1], away=False) for pasts in (whole, some, none)
                ]
                assert len({one.size for one in read}) == len({len(one.marks) for one in read}) == 1
                assert read[0].size > 0
                assert 0 < some.size <= whole.size // 3
                assert none.size == 0

    asyncio.run(run())
