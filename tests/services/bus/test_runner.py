"""Every fact is applied once, its rows and the position move together, and what follows from it is told before that."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

import pytest

from cardtrail.events import CardFetched, Fact, Stored
from cardtrail.events.errors import Unreachable, UsageError
from cardtrail.projections.projection import Rows
from cardtrail.services.bus.attempt import PARKED
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.errors import BrokerUnreachable, ReaderTaken
from cardtrail.services.bus.names import FACTS
from cardtrail.services.bus.progress import Progress
from cardtrail.services.bus.publish import Message
from cardtrail.services.bus.readers import BULK, REPLAY, TAIL, Mode
from cardtrail.services.bus.runner import CLOCK, run_deriver, run_fold
from cardtrail.services.bus.stores import MemoryStore
from cardtrail.services.held_back import tried_again
from tests.nats_server import fresh_bus
from tests.services.bus.facts import Counts, Echo, Numbers, fetched
from tests.streams import PATIENCE_S


@asynccontextmanager
async def running(begin: Callable[[asyncio.Event, Progress], Awaitable[None]]) -> AsyncIterator[Progress]:
    stop, progress = asyncio.Event(), Progress()
    task = asyncio.ensure_future(begin(stop, progress))
    try:
        yield progress
    finally:
        stop.set()
        await asyncio.wait_for(task, PATIENCE_S)


async def folded(
    bus: Bus, store: MemoryStore, through: int, *, mode: Mode = TAIL, principal: str | None = None
) -> Progress:
    async with running(
        lambda stop, progress: run_fold(
            bus, Numbers(), store, mode=mode, principal=principal, stop=stop, progress=progress
        )
    ) as progress:
        await asyncio.wait_for(progress.reaches(through), PATIENCE_S)
    return progress


@pytest.mark.parametrize("mode", [TAIL, BULK, REPLAY], ids=["tail", "bulk", "replay"])
def test_a_fold_sees_every_fact_of_an_agent_in_order_whatever_the_mode(mode: Mode) -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            await bus.tell([fetched(f"agent-{number % 3}", number) for number in range(1, 601)])
            store = MemoryStore()
            await folded(bus, store, 600, mode=mode)
            for agent in range(3):
                seen = store.tables["numbers"][(f"agent-{agent}",)]["seen"]
                assert seen == [number for number in range(1, 601) if number % 3 == agent]

    asyncio.run(run())


def test_living_through_it_in_pieces_equals_replaying_it() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            lived, replayed = MemoryStore(), MemoryStore()
            for piece in range(1, 4):
                await bus.tell([fetched("a", piece * 10 + number) for number in range(5)])
                await folded(bus, lived, piece * 5)
            await folded(bus, replayed, 15, mode=REPLAY)
            assert lived.dump() == replayed.dump()
            assert lived.position == replayed.position == 15

    asyncio.run(run())


def test_a_second_instance_shows_no_position_and_touches_nothing() -> None:
    class Touched(MemoryStore):
        loads = 0

        async def load(self) -> tuple[Rows, int]:
            self.loads += 1
            return await super().load()

    async def run() -> None:
        async with fresh_bus() as (bus, server), Bus(server.url) as other:
            await bus.tell([fetched("a", number) for number in range(5)])
            async with running(
                lambda stop, progress: run_fold(bus, Numbers(), MemoryStore(), stop=stop, progress=progress)
            ) as first:
                await asyncio.wait_for(first.reaches(5), PATIENCE_S)
                store, second = Touched(), Progress(position=5)  # from a life in which it had the reader
                with pytest.raises(ReaderTaken):
                    await run_fold(other, Numbers(), store, progress=second)
                assert (second.position, second.tried, store.loads) == (0, 0, 0)

    asyncio.run(run())


def test_poison_and_a_newer_version_are_parked_and_applied_once_a_release_can() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            newer = bus.message(fetched("n", 1))
            await bus.publish([Message(subject=newer.subject, data=newer.data.replace(b".v1", b".v8"))])
            await bus.tell([fetched("p", 2, detail="poison"), fetched("p", 3), fetched("n", 4), fetched("ok", 5)])
            store = MemoryStore()
            progress = await folded(bus, store, 5)
            assert (progress.position, progress.parked, list(store.tables["numbers"])) == (5, 4, [("ok",)])

            class Mended(Numbers):
                def apply(self, stored: Stored, rows: Rows) -> None:
                    event = stored.fact.data.model_copy(update={"location": ""})
                    super().apply(
                        stored.model_copy(update={"fact": stored.fact.model_copy(update={"data": event})}), rows
                    )

            await bus.tell([fetched("p", 6)])
            async with running(lambda stop, it: run_fold(bus, Mended(), store, stop=stop, progress=it)) as later:
                await asyncio.wait_for(later.reaches(6), PATIENCE_S)
            assert store.tables["numbers"][("p",)] == {"seen": [2, 3, 6]}
            assert {key[0] for key in store.tables[PARKED]} == {"n"}

    asyncio.run(run())


def test_what_is_parked_is_tried_again_while_it_runs_and_nothing_is_lost_or_doubled_by_it() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            mended = asyncio.Event()

            class Mendable(Numbers):
                def apply(self, stored: Stored, rows: Rows) -> None:
                    event = stored.fact.data
                    assert isinstance(event, CardFetched)
                    if event.location == "poison" and mended.is_set():
                        event = event.model_copy(update={"location": ""})
                    fact = stored.fact.model_copy(update={"data": event})
                    super().apply(stored.model_copy(update={"fact": fact}), rows)

            await bus.tell([fetched("p", 1, detail="poison"), fetched("p", 2), fetched("ok", 3)])
            store = MemoryStore()
            async with running(lambda stop, it: run_fold(bus, Mendable(), store, stop=stop, progress=it)) as seen:
                await asyncio.wait_for(seen.reaches(3), PATIENCE_S)
                assert (await tried_again("test", {"numbers": seen}))["folds"] == {
                    "numbers": {"before": 2, "now": 2, "tried": True}
                }
                mended.set()
                await bus.tell([fetched("p", 4)])
                told = await tried_again("test", {"numbers": seen})
                assert told["folds"]["numbers"]["now"] == 0  # type: ignore[index]
                await bus.tell([fetched("p", 5)])
                await asyncio.wait_for(seen.reaches(5), PATIENCE_S)
                assert store.tables["numbers"] == {("p",): {"seen": [1, 2, 4, 5]}, ("ok",): {"seen": [3]}}
                assert (await tried_again("test", {"numbers": seen}))["folds"] == {}

    asyncio.run(run())


def test_a_log_whose_last_fact_was_deleted_ends_at_the_last_one_that_is_there() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            await bus.tell([fetched("a", number) for number in range(1, 7)])
            await gaps(bus, 3, 6)
            last = (await bus.info()).end
            store = MemoryStore()
            await folded(bus, store, last)
            assert (last, store.tables["numbers"][("a",)]["seen"]) == (5, [1, 2, 4, 5])

    asyncio.run(run())


async def gaps(bus: Bus, *sequences: int) -> None:
    """Such a log: the same messages in a stream that lets some be deleted."""
    js = bus.connection.js
    held = [await js.get_msg(FACTS, seq=sequence) for sequence in range(1, (await bus.info()).last + 1)]
    await js.delete_stream(FACTS)
    await js.add_stream(name=FACTS, subjects=["cardtrail.events.>", "cardtrail.decisions.>"], allow_direct=True)
    for message in held:
        await js.publish(str(message.subject), message.data or b"")
    for sequence in sequences:
        await js.delete_msg(FACTS, sequence)


class Failing(MemoryStore):
    """Refuses the first commits, before or after having written them."""

    def __init__(self, times: int, *, after: bool = False, error: type[Exception] = Unreachable) -> None:
        super().__init__()
        self.times, self.after, self.error = times, after, error

    async def commit(self, rows: Rows, position: int) -> None:
        self.times -= 1
        if self.times >= 0 and not self.after:
            raise self.error("away", "the store is away")
        await super().commit(rows, position)
        if self.times >= 0:
            raise self.error("away", "the answer was lost")


@pytest.mark.parametrize("after", [False, True], ids=["before-writing", "after-writing"])
def test_a_store_that_is_away_for_a_moment_loses_and_doubles_nothing(after: bool) -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            await bus.tell([fetched("a", number) for number in range(1, 301)])
            store = Failing(2, after=after)
            await folded(bus, store, 300)
            assert store.tables["numbers"][("a",)]["seen"] == list(range(1, 301))

    asyncio.run(run())


def test_a_store_that_will_never_take_it_ends_the_run_loudly() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            await bus.tell([fetched()])
            with pytest.raises(UsageError):
                await run_fold(bus, Numbers(), Failing(1, error=UsageError))

    asyncio.run(run())


def test_a_deriver_that_died_between_telling_and_committing_tells_the_same_ids_again() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            await bus.tell([fetched(f"agent-{number}") for number in range(10)])
            store = Failing(1)
            async with running(
                lambda stop, progress: run_deriver(bus, Echo(), store, stop=stop, progress=progress)
            ) as progress:
                await asyncio.wait_for(progress.reaches(20), PATIENCE_S)
            last = await bus.last("cardtrail.events.*.*.*.deadline-passed.>")
            assert (len(last.facts), (await bus.info()).last) == (10, 20)
            assert store.tables["echo"][("agent-3",)] == {"count": 1}

    asyncio.run(run())


def test_nothing_is_committed_before_what_follows_is_told() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, running_server):
            await bus.tell([fetched()])
            store = MemoryStore()

            class Killing(Echo):
                def derive(self, stored: Stored, rows: Rows) -> tuple[Fact, ...]:
                    if isinstance(stored.fact.data, CardFetched) and running_server.pid and not killed.is_set():
                        running_server.kill()
                        bus.patience_s = 0.3
                        killed.set()
                    return super().derive(stored, rows)

            killed = asyncio.Event()
            async with running(
                lambda stop, progress: run_deriver(bus, Killing(), store, stop=stop, progress=progress)
            ) as progress:
                await asyncio.wait_for(killed.wait(), PATIENCE_S)
                with suppress(TimeoutError):
                    await asyncio.wait_for(progress.reaches(1), 0.5)
                assert store.position == 0
                running_server.revive()
                bus.patience_s = PATIENCE_S
                await asyncio.wait_for(progress.reaches(2), PATIENCE_S)
            assert store.tables["echo"][("a.example",)] == {"count": 1}

    asyncio.run(run())


def test_a_view_of_one_principal_holds_nothing_of_another() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            await bus.tell(
                [fetched("a", 1, principal="x"), fetched("a", 2, principal="y"), fetched("a", 3, principal="x")]
            )
            store = MemoryStore()
            await folded(bus, store, 3, principal="x")
            assert store.tables["numbers"][("a",)] == {"seen": [1, 3]}
            assert store.position == 3

    asyncio.run(run())


def test_the_time_a_fold_sees_never_decreases_also_over_a_restart() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            times = []

            class Times(Counts):
                def apply(self, stored: Stored, rows: Rows) -> None:
                    super().apply(stored, rows)
                    times.append(stored.stored_at)

            store = MemoryStore()
            await bus.tell([fetched()])
            store.tables[CLOCK] = {("now",): {"now": "2099-01-01T00:00:00+00:00"}}
            for through in (1, 2):
                async with running(
                    lambda stop, progress: run_fold(bus, Times(), store, stop=stop, progress=progress)
                ) as progress:
                    await asyncio.wait_for(progress.reaches(through), PATIENCE_S)
                await bus.tell([fetched()])
            assert [at.year for at in times] == [2099, 2099]

    asyncio.run(run())


def test_stopping_under_a_backlog_takes_one_batch_and_the_rest_comes_afterwards() -> None:
    async def run() -> None:
        async with fresh_bus(holding=(fetched("a", number) for number in range(1, 3001))) as (bus, _):
            store = MemoryStore()
            async with running(
                lambda stop, progress: run_fold(bus, Numbers(), store, stop=stop, progress=progress)
            ) as progress:
                await asyncio.wait_for(progress.reaches(1), PATIENCE_S)
            stopped_at = store.position
            assert 0 < stopped_at < 3000
            await folded(bus, store, 3000)
            assert store.tables["numbers"][("a",)]["seen"] == list(range(1, 3001))

    asyncio.run(run())


def test_a_quiet_run_is_alive_by_its_heartbeat() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            store = MemoryStore()
            async with running(
                lambda stop, progress: run_fold(bus, Numbers(), store, stop=stop, progress=progress)
            ) as progress:
                await asyncio.wait_for(progress.moved.wait(), PATIENCE_S)
                assert progress.reader is not None
                await asyncio.wait_for(progress.reader.hears(), PATIENCE_S)
                heard = progress.reader.heard_at
                await asyncio.wait_for(progress.reader.hears(), PATIENCE_S)
                assert progress.reader.heard_at > heard
                assert progress.silent_s(progress.reader.heard_at + 2) == 2

    asyncio.run(run())


def test_a_frozen_run_is_silent_although_the_broker_keeps_beating() -> None:
    async def run() -> None:
        frozen, thawed = asyncio.Event(), asyncio.Event()

        class Freezing(MemoryStore):
            async def commit(self, rows: Rows, position: int) -> None:
                frozen.set()
                await thawed.wait()
                await super().commit(rows, position)

        async with fresh_bus() as (bus, _):
            await bus.tell([fetched()])
            async with running(
                lambda stop, progress: run_fold(bus, Numbers(), Freezing(), stop=stop, progress=progress)
            ) as progress:
                await asyncio.wait_for(frozen.wait(), PATIENCE_S)
                assert progress.reader is not None
                with pytest.raises(TimeoutError):
                    await asyncio.wait_for(progress.reader.hears(), 1.3)
                thawed.set()
                await asyncio.wait_for(progress.reaches(1), PATIENCE_S)

    asyncio.run(run())


def test_a_connection_that_is_closed_for_good_ends_the_run_instead_of_spinning() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            store, stop, seen = MemoryStore(), asyncio.Event(), Progress()
            task = asyncio.ensure_future(run_fold(bus, Numbers(), store, stop=stop, progress=seen))
            await asyncio.wait_for(seen.moved.wait(), PATIENCE_S)
            await bus.connection.nc.close()
            with pytest.raises(BrokerUnreachable, match="for good"):
                await asyncio.wait_for(task, PATIENCE_S)

    asyncio.run(run())
