"""The archive's part of the projector ends when it is told to and when it fails: a process that hangs is never started again."""

import asyncio
from pathlib import Path

from cardtrail.services.archive import NAME
from cardtrail.services.projector.archive import keep
from cardtrail.services.service import Context
from cardtrail.services.settings import BrokerSettings, Settings
from tests.nats_server import fresh_bus
from tests.streams import PATIENCE_S


def test_it_ends_when_something_beside_it_failed(tmp_path: Path) -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            context = Context(
                "projector", Settings(broker=BrokerSettings(data=tmp_path)), bus, tmp_path, asyncio.Event()
            )
            keeping = asyncio.create_task(keep(context))
            await context.watched(NAME).moved.wait()
            keeping.cancel()
            done, _ = await asyncio.wait({keeping}, timeout=PATIENCE_S)
            assert done

    asyncio.run(run())
