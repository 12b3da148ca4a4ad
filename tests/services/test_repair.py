"""A projection put right: from the log alone, seen by watchers as its differences, never beside a live run."""

import asyncio
from contextlib import suppress
from pathlib import Path

import pytest

from cardtrail.events.errors import UsageError
from cardtrail.projections.lockfile_status import LOCKFILE_STATUS, LockfileStatus
from cardtrail.projections.one_principal import OnePrincipal
from cardtrail.projections.projection import Rows
from cardtrail.projections.store import DuckStore
from cardtrail.services.archive import archive_fold
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.kv_read import read_table
from cardtrail.services.bus.kv_store import KvStore
from cardtrail.services.bus.progress import Progress
from cardtrail.services.bus.runner import run_fold
from cardtrail.services.rebuild import verify_bucket
from cardtrail.services.repair import repair_archive, repair_bucket
from tests.nats_server import fresh_bus
from tests.projections.facts import compiled, decided, full, lock, pinned, profile
from tests.projections.log import Log

NAME, KEY = LOCKFILE_STATUS.name, ("public", "trip", "pricing")


async def told(bus: Bus) -> int:
    log = Log()
    compiled(log, full(log, "a"), profile())
    pinned(log, lock())
    decided(log, "review", "probe", "agent-version-changed")
    return (await bus.tell([stored.fact for stored in log.facts]))[-1]


async def lived(bus: Bus, through: int) -> None:
    """The live run, until it has read so far."""
    stop, seen = asyncio.Event(), Progress()
    fold = OnePrincipal(LockfileStatus(), "public")
    run = asyncio.create_task(
        run_fold(bus, fold, KvStore(bus, fold.name, "public"), kept_in="kv-public", stop=stop, progress=seen)
    )
    await seen.reaches(through)
    stop.set()
    await run


async def spoil(bus: Bus) -> None:
    """One row is another, one is too many: what a defect of ours could have left."""
    store = KvStore(bus, NAME, "public")
    rows, position = await store.load()
    rows.put(NAME, KEY, {**(rows.get(NAME, KEY) or {}), "verdict": "compatible"})
    rows.put(NAME, ("public", "ghost", "pricing"), {"verdict": "breaking"})
    await store.commit(rows, position)


def test_a_spoilt_bucket_is_found_and_put_right() -> None:
    async def story() -> None:
        async with fresh_bus() as (bus, _):
            await lived(bus, await told(bus))
            assert (await verify_bucket(bus, LockfileStatus(), "public")).first_difference == ""
            await spoil(bus)
            compared = await verify_bucket(bus, LockfileStatus(), "public")
            assert compared.live != compared.rebuilt
            assert compared.first_difference == f"{NAME} public / ghost / pricing"
            assert await repair_bucket(bus, LockfileStatus(), "public", Progress()) == 2
            compared = await verify_bucket(bus, LockfileStatus(), "public")
            assert compared.live == compared.rebuilt
            rows, _ = await read_table(bus, NAME, "public", NAME)
            assert rows[KEY]["verdict"] == "review"

    asyncio.run(story())


def test_a_repair_goes_as_far_as_the_log_though_the_live_run_had_not() -> None:
    async def story() -> None:
        async with fresh_bus() as (bus, _):
            last = await told(bus)
            await lived(bus, 1)
            await repair_bucket(bus, LockfileStatus(), "public", Progress())
            store = KvStore(bus, NAME, "public")
            await store.load()
            assert store.position == last

    asyncio.run(story())


def test_no_repair_beside_a_live_run() -> None:
    async def story() -> None:
        async with fresh_bus() as (bus, server):
            await told(bus)
            stop, seen, fold = asyncio.Event(), Progress(), OnePrincipal(LockfileStatus(), "public")
            store = KvStore(bus, fold.name, "public")
            run = asyncio.create_task(run_fold(bus, fold, store, kept_in="kv-public", stop=stop, progress=seen))
            await seen.reaches(1)
            async with Bus(server.url) as other:
                with pytest.raises(UsageError) as refused:
                    await repair_bucket(other, LockfileStatus(), "public", Progress())
            assert refused.value.code == "projector-running"
            stop.set()
            with suppress(asyncio.CancelledError):
                await run

    asyncio.run(story())


def test_the_archive_grows_anew_and_is_in_force(tmp_path: Path) -> None:
    async def story() -> None:
        async with fresh_bus() as (bus, _):
            last = await told(bus)
            for _ in range(2):
                await repair_archive(bus, tmp_path, Progress())
            store = DuckStore(tmp_path, archive_fold().tables)
            rows, position = await store.load()
            assert (position, store.growing) == (last, False)
            assert isinstance(rows, Rows)
            assert rows.get(NAME, KEY) is not None
            await store.close()

    asyncio.run(story())
