"""The page knows whether anybody keeps what it shows: a broker that lives hides a tracker that fell silent."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta

from cardtrail.events.fact import dump
from cardtrail.events.model.beat import Beat, mark
from cardtrail.services.bus.alone import ended
from cardtrail.services.bus.bus import Bus
from cardtrail.services.planner.pulse import PATH
from cardtrail.services.web.signs import SILENCE_S, Signs
from tests.nats_server import fresh_bus
from tests.projections.log import START
from tests.streams import PATIENCE_S


class Listening:
    """A page's ear, with a clock that we turn."""

    def __init__(self, bus: Bus) -> None:
        self.bus, self.now = bus, START
        self.signs = Signs(bus.connection, lambda: self.now)

    def wait(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)

    def silent(self, principal: str = "public") -> str:
        found = self.signs.silent(principal)
        return found.detail if found is not None else ""

    async def hear(self, *services: str, heard: Callable[[], bool], **late: float) -> None:
        """These services beat until that is so."""
        behind = {mark(principal): seconds for principal, seconds in late.items()}
        async with asyncio.timeout(PATIENCE_S):
            while not heard():
                for name in services:
                    said = Beat(service=name, silent_s=0.0, behind=behind)
                    await self.bus.connection.nc.publish(f"cardtrail.live.alive.{name}", dump(said))
                await asyncio.sleep(0.02)


def listening(story: Callable[[Listening], Awaitable[None]]) -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            ear = Listening(bus)
            task = asyncio.create_task(ear.signs.run())
            try:
                await story(ear)
            finally:
                await ended(task)

    asyncio.run(run())


def test_a_service_that_says_nothing_any_more_is_named_with_the_instant_since_when() -> None:
    async def story(ear: Listening) -> None:
        assert ear.silent() == ""
        ear.wait(SILENCE_S + 1)
        assert ear.silent() == ", ".join(PATH), "a tracker that was never heard is silent, too"
        await ear.hear(*PATH, "prober", heard=lambda: ear.silent() == "")
        last = ear.now
        ear.wait(SILENCE_S + 1)
        await ear.hear("compiler", "decider", heard=lambda: ear.silent() == "projector")
        found = ear.signs.silent("public")
        assert found is not None
        assert found.since == last

    listening(story)


def test_rows_of_one_principal_that_cannot_be_kept_are_that_principals_trouble_alone() -> None:
    async def story(ear: Listening) -> None:
        team = {"team-b": SILENCE_S + 5}
        await ear.hear(*PATH, heard=lambda: ear.silent("team-b") != "", **team)
        assert ear.silent("public") == ""
        await ear.hear(*PATH, heard=lambda: ear.silent("team-b") == "")

    listening(story)
