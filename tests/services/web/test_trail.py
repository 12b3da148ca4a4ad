"""What the page remembers of the log is the same whether it began with the archive or read everything."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path

from cardtrail.services.archive import NAME
from cardtrail.services.bus.alone import ended
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.progress import Progress
from cardtrail.services.projector.archive import keep
from cardtrail.services.service import Context
from cardtrail.services.settings import BrokerSettings, Settings
from cardtrail.services.web.known import Tables
from cardtrail.services.web.memory import Memory
from cardtrail.services.web.pulse import Pulse
from cardtrail.services.web.trail import Trail
from tests.bench.generate import Generator
from tests.nats_server import fresh_bus

COUNT, AGENTS = 2_000, 6


def test_a_start_from_the_archive_remembers_what_reading_the_whole_log_does(tmp_path: Path) -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            await bus.tell([stored.fact for stored in Generator(AGENTS).facts(COUNT)])
            last = (await bus.info()).last
            settings = Settings(broker=BrokerSettings(data=tmp_path))
            context = Context(name="projector", settings=settings, bus=bus, folder=tmp_path, stop=asyncio.Event())
            keeping = asyncio.create_task(keep(context))
            await context.watched(NAME).reaches(last)
            from_archive, at_first = await followed(bus, last, short=0)
            from_log, early = await followed(bus, last, short=last + 1)
            context.stop.set()
            await keeping
        assert early < at_first == last, "one begins behind the archive, the other with the first facts"
        assert from_archive == from_log
        assert len({key[:2] for key in from_log["attempts"]}) == AGENTS

    asyncio.run(run())


async def followed(bus: Bus, last: int, *, short: int) -> tuple[Tables, int]:
    """The strips once everything is followed, and the first position that was shown."""
    async with asyncio.TaskGroup() as tasks:
        pulse, progress = Pulse(), Progress()
        memory = Memory(bus, pulse, tasks, datetime.now(UTC))
        trail = Trail(bus, memory, pulse, progress, short=short)
        following = tasks.create_task(trail.run())
        first = version = 0
        while trail.through < last:
            version = await pulse.after(version, 10)
            first = first or trail.through
        found = {name: dict(rows) for name, rows in trail.attempts.items()}
        await ended(following)
        await memory.end()
    return found, first
