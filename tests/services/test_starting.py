"""While a tracker starts, whoever asks is told to wait; once it is up, what does not answer is a fault."""

import asyncio
import os
from pathlib import Path

import pytest

from cardtrail.events import AgentTracked
from cardtrail.events.agent_tracked import Target
from cardtrail.services import system
from cardtrail.services.bus.bus import Bus
from cardtrail.services.cli.live.standing import status
from cardtrail.services.cli.live.tracker import Tracker
from cardtrail.services.settings import BrokerSettings, Settings
from cardtrail.services.system import running
from cardtrail.services.telling import operator_fact
from tests.nats_server import fresh_bus
from tests.streams import PATIENCE_S


def test_services_that_do_not_answer_yet_are_told_from_those_that_do_not_answer(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async def run() -> None:
        settings = Settings(broker=BrokerSettings(data=tmp_path))
        begun, all_there, up, over = (asyncio.Event() for _ in range(4))

        async def ready(bus: Bus, services: tuple[str, ...]) -> None:
            begun.set()
            await all_there.wait()

        monkeypatch.setattr(system, "ready", ready)
        async with fresh_bus() as (bus, server):
            await bus.tell([operator_fact(AgentTracked(agent="a", target=Target(kind="document", value="x")), "test")])

            async def tracker() -> None:
                environment = {**os.environ, "NATS_URL": server.url, "CARDTRAIL_DATA": str(tmp_path)}
                async with running(settings, None, environment, ()):
                    up.set()
                    await over.wait()

            starting = asyncio.create_task(tracker())
            async with asyncio.timeout(PATIENCE_S):
                await begun.wait()
                assert await said(settings, server.url, bus) == {"does not answer yet: the tracker is starting"}
                all_there.set()
                await up.wait()
            assert await said(settings, server.url, bus) == {"does not answer"}
            over.set()
            await starting

    asyncio.run(run())


async def said(settings: Settings, url: str, bus: Bus) -> set[str]:
    """What `status` says of services."""
    return {one.says for one in (await status(Tracker(settings, url, bus, await bus.info()))).troubles}
