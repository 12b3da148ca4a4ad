"""A log poured into an empty broker: the same sequences, times and bytes, gaps and repeats included; never over another one."""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cardtrail.events import Stored, encode
from cardtrail.events.errors import InputRefused, UsageError
from cardtrail.events.subjects import ALL, subject
from cardtrail.projections.projection import Rows
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.names import FACTS
from cardtrail.services.bus.past import facts_about, known_at
from cardtrail.services.bus.pouring import Marks, Poured, pour
from cardtrail.services.bus.progress import Progress
from cardtrail.services.bus.runner import run_fold
from cardtrail.services.bus.snapshot import passage
from cardtrail.services.bus.stores import MemoryStore
from cardtrail.services.bus.streams import differences, examined, wanted
from tests.nats_server import SMALL, fresh_bus, server
from tests.projections.facts import full
from tests.projections.log import Log

LONG_AGO = 1_700_000_000_000_000_001
MARKS = Marks("sha256:bundle", 7, 0)


def slice_of(*sequences: int) -> list[Poured]:
    log = Log()
    facts = [full(log, f"d{sequence}") for sequence in sequences]
    return [
        Poured(sequence, LONG_AGO + sequence * 1_000_000_000, subject(one.fact.data), encode(one.fact))
        for sequence, one in zip(sequences, facts, strict=True)
    ]


async def held(bus: Bus) -> list[Poured]:
    return [
        Poured(one.sequence, one.stored_ns, one.subject, one.data) async for one in passage(bus.connection, FACTS, ALL)
    ]


class Seen:
    """A fold that remembers what it was given."""

    name = "seen"

    def apply(self, stored: Stored, rows: Rows) -> None:
        rows.put("seen", (str(stored.sequence),), {"at": stored.stored_at.isoformat()})


@settings(max_examples=8)
@given(st.sets(st.integers(1, 2_500), min_size=1, max_size=12), st.integers(0, 40))
def test_what_is_poured_lies_where_it_lay(sequences: set[int], beyond: int) -> None:
    async def story() -> None:
        facts, last = slice_of(*sorted(sequences)), max(sequences) + beyond
        with server() as running:
            async with Bus(running.url) as bus:
                assert await pour(bus, SMALL, iter(facts), MARKS._replace(through=last)) == len(facts)
            async with Bus(running.url, streams=SMALL) as bus:
                assert bus.connection.imported
                assert await held(bus) == facts
                info = await bus.info()
                assert (info.last, info.facts, info.known_from, info.imported) == (last, len(facts), 7, "sha256:bundle")
                stored = await bus.at(facts[-1].sequence)
                assert stored is not None
                assert stored.stored_at == datetime.fromtimestamp(facts[-1].stored_ns // 10**9, UTC)

    asyncio.run(story())


def test_the_stream_ends_up_with_its_usual_settings() -> None:
    async def story() -> None:
        with server() as running:
            async with Bus(running.url) as bus:
                await pour(bus, SMALL, iter(slice_of(3, 9)), MARKS)
                live = (await bus.connection.js.stream_info(FACTS)).config
                assert differences(wanted(SMALL)[0], live) == ()
                assert [one.stream for one in await examined(bus.connection.js, SMALL) if one.stream == FACTS] == []

    asyncio.run(story())


def test_a_fact_that_was_stored_twice_is_stored_twice_again() -> None:
    async def story() -> None:
        once = slice_of(1)[0]
        with server() as running:
            async with Bus(running.url) as bus:
                await pour(bus, SMALL, iter([once, once._replace(sequence=2)]), MARKS)
                await bus.info()
                assert [one.sequence for one in await held(bus)] == [1, 2]

    asyncio.run(story())


def test_a_log_is_never_poured_over_another() -> None:
    async def story() -> None:
        async with fresh_bus() as (bus, _):
            await bus.tell([full(Log(), "a").fact])
            with pytest.raises(UsageError) as refused:
                await pour(bus, SMALL, iter(slice_of(1)), MARKS)
            assert refused.value.code == "log-not-empty"
            assert (await bus.info()).facts == 1

    asyncio.run(story())


def test_half_a_log_is_none() -> None:
    def broken() -> Iterator[Poured]:
        yield from slice_of(1, 2)
        raise InputRefused("bundle-unreadable", "no fact")

    async def story() -> None:
        with server() as running:
            async with Bus(running.url) as bus:
                with pytest.raises(InputRefused):
                    await pour(bus, SMALL, broken(), MARKS)
                assert await pour(bus, SMALL, iter(slice_of(1)), MARKS) == 1

    asyncio.run(story())


def test_an_imported_log_is_known_by_the_times_it_had_and_goes_on_by_the_clock() -> None:
    async def story() -> None:
        with server() as running:
            async with Bus(running.url) as bus:
                await pour(bus, SMALL, iter(slice_of(3, 5, 9)), MARKS)
            async with Bus(running.url, streams=SMALL) as bus:
                at = datetime.fromtimestamp(LONG_AGO // 10**9 + 5, UTC)
                assert [await known_at(bus, at + timedelta(seconds=s)) for s in (-9, -1, 1, 3, 9)] == [0, 3, 5, 5, 9]
                assert [one async for one in facts_about(bus, ["other"], 99)] == []
                (told,) = await bus.tell([full(Log(), "z", agent="later").fact])
                store, seen, stop = MemoryStore(), Progress(), asyncio.Event()
                run = asyncio.create_task(run_fold(bus, Seen(), store, stop=stop, progress=seen))
                await seen.reaches(told)
                stop.set()
                await run
                times = {int(key[0]): datetime.fromisoformat(row["at"]) for key, row in store.tables["seen"].items()}
                assert sorted(times) == [3, 5, 9, told]
                assert times[9] - times[5] == timedelta(seconds=4)
                assert times[told] > times[9] + timedelta(days=365)

    asyncio.run(story())
