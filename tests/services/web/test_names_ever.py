"""An agent's page tells what was decided about it under a name that a lock called it, also when that lock is gone."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path

from cardtrail.services.bus.alone import ended
from cardtrail.services.bus.progress import Progress
from cardtrail.services.service import Context
from cardtrail.services.settings import Settings
from cardtrail.services.web.asked import Asked
from cardtrail.services.web.fleets import Fleets
from cardtrail.services.web.memory import Memory
from cardtrail.services.web.pasts import Pasts
from cardtrail.services.web.pulse import Pulse
from cardtrail.services.web.signs import Signs
from cardtrail.services.web.site import Site
from cardtrail.services.web.trail import Trail
from tests.nats_server import fresh_bus
from tests.services.cli.live.test_names_ever import PLACE, written


def test_what_was_decided_under_a_place_is_in_the_past_of_the_agent_found_there(tmp_path: Path) -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _), asyncio.TaskGroup() as tasks:
            for stored in written(released=True).facts:
                await bus.tell([stored.fact])
            pulse, progress, last = Pulse(), Progress(), (await bus.info()).last
            memory = Memory(bus, pulse, tasks, datetime.now(UTC))
            trail = Trail(bus, memory, pulse, progress)
            following = tasks.create_task(trail.run())
            version = 0
            while trail.through < last:
                version = await pulse.after(version, 10)
            context = Context(name="web", settings=Settings(), bus=bus, folder=tmp_path, stop=asyncio.Event())
            site = Site(
                context=context,
                memory=memory,
                trail=trail,
                pasts=Pasts(bus),
                fleets=Fleets(bus),
                pulse=pulse,
                signs=Signs(bus.connection, lambda: datetime.now(UTC)),
                now=lambda: datetime.now(UTC),
                token="",
                form_token="",
                names=frozenset(),
            )
            about = await site.past(Asked("/"), ("fares",))
            assert about.names == ("fares", PLACE)
            assert [event.verdict for _, event in about.past.decisions] == ["breaking"]
            assert (await site.past(Asked("/"), ("pricing",))).names == ("pricing",)
            await ended(following)
            await memory.end()

    asyncio.run(run())
