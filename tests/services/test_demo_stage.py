"""The demos' stage on a machine that is too slow for it: the error says so, and what to do."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from cardtrail.events.errors import Unreachable
from cardtrail.services.demo import stage
from cardtrail.services.demo.stage import Stage
from cardtrail.services.settings import Settings
from cardtrail.services.supervise import Children
from cardtrail.services.system import System
from tests.nats_server import fresh_bus


def test_what_does_not_come_is_laid_to_a_slow_machine_with_what_to_do(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(stage, "_LONGEST_S", 0.0)

    async def run() -> None:
        async with fresh_bus() as (bus, server):
            host: Any = None
            held = Stage(System(server.url, Children((), None, {}), bus), host, tmp_path, Settings())
            await held.until(lambda _: None)

    with pytest.raises(Unreachable) as late:
        asyncio.run(run())
    assert late.value.code == "service-unreachable"
    assert "slow" in late.value.hint
    assert "run it again" in late.value.hint
