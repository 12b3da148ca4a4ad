"""The archive beside its rebuild: equal while it is what the log says, and the first row named where it is not."""

import asyncio
from pathlib import Path
from typing import Self

from cardtrail.projections.store import DuckStore
from cardtrail.services.archive import SNAPSHOT, archive_fold, home
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.questions import ask
from cardtrail.services.projector.archive import keep
from cardtrail.services.rebuild import verify_archive
from cardtrail.services.service import Context
from cardtrail.services.settings import BrokerSettings, Settings
from tests.nats_server import fresh_bus
from tests.projections.facts import compiled, decided, full, lock, pinned, profile
from tests.projections.log import Log


async def told(bus: Bus) -> int:
    log = Log()
    compiled(log, full(log, "a"), profile())
    pinned(log, lock())
    decided(log, "review", "probe", "agent-version-changed")
    return (await bus.tell([stored.fact for stored in log.facts]))[-1]


class Owner:
    """The projector's archive at work on a folder."""

    def __init__(self, bus: Bus, data: Path) -> None:
        settings = Settings(broker=BrokerSettings(data=data))
        self.context = Context("projector", settings, bus, data, asyncio.Event())

    async def __aenter__(self) -> Self:
        self.run = asyncio.create_task(keep(self.context))
        return self

    async def __aexit__(self, *_: object) -> None:
        self.context.stop.set()
        await self.run

    async def reaches(self, sequence: int) -> None:
        """Returns once the archive has a sequence and readers may see it."""
        await self.context.watched("duckdb").reaches(sequence)
        while (await ask(self.context.bus, SNAPSHOT, {}, within_s=60.0))["path"] is None:
            pass  # each question takes its turn on the store's thread, so this is no hot loop


def test_an_archive_is_what_the_log_says_and_a_spoilt_row_of_it_is_named(tmp_path: Path) -> None:
    async def story() -> None:
        async with fresh_bus() as (bus, _):
            last = await told(bus)
            async with Owner(bus, tmp_path) as owner:
                await owner.reaches(last)
                same = await verify_archive(bus, tmp_path / "one")
                assert (same.live, same.first_difference) == (same.rebuilt, "")
            await spoil(tmp_path)
            async with Owner(bus, tmp_path) as owner:
                await owner.reaches(last)
                other = await verify_archive(bus, tmp_path / "two")
            assert other.live != other.rebuilt
            assert other.first_difference == "lockfile_status public / trip / pricing"

    asyncio.run(story())


async def spoil(data: Path) -> None:
    store = DuckStore(home(data), archive_fold().tables)
    rows, position = await store.load()
    held = rows.get("lockfile_status", ("public", "trip", "pricing"))
    assert held is not None
    rows.put("lockfile_status", ("public", "trip", "pricing"), {**held, "verdict": "compatible"})
    await store.commit(rows, position)
    await store.close()
