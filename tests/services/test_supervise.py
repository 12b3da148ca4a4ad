"""A service that ended is started again once it can be; what keeps all of them from it is said once."""

import asyncio
import logging
import os

import pytest

from cardtrail.events.errors import UsageError
from cardtrail.services.supervise import Children
from tests.streams import PATIENCE_S


def test_while_the_disk_is_full_no_service_is_started_only_to_fail(caplog: pytest.LogCaptureFixture) -> None:
    async def run() -> None:
        asked, again = 0, asyncio.Event()

        def can_start() -> None:
            nonlocal asked
            asked += 1
            if asked < 4:
                raise UsageError("data-unwritable", "the data folder cannot be written: No space left on device")
            again.set()

        nowhere = {**os.environ, "NATS_URL": "nats://127.0.0.1:1"}
        async with Children(("compiler",), None, nowhere, can_start) as children:
            children.kill("compiler")
            await asyncio.wait_for(again.wait(), PATIENCE_S)
            assert children.restarts == {"compiler": 0}
            while not children.restarts["compiler"]:  # noqa: ASYNC110 — it is counted once the process is there
                await asyncio.sleep(0.02)

    with caplog.at_level(logging.WARNING, "cardtrail.up"):
        asyncio.run(run())
    assert sum("No space left on device" in line for line in caplog.messages) == 1
