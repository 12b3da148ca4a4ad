"""`seal` where no sealer is at work: what to do depends on whether a key is set."""

import asyncio
from pathlib import Path

import pytest

from cardtrail.events.errors import UsageError
from cardtrail.services.cli.audit.sealing import seal
from cardtrail.services.cli.live.tracker import Tracker
from cardtrail.services.seal_settings import SealSettings
from cardtrail.services.settings import Settings
from tests.nats_server import fresh_bus


def _refused(settings: Settings) -> UsageError:
    async def run() -> UsageError:
        async with fresh_bus() as (bus, server):
            with pytest.raises(UsageError) as refused:
                await seal(Tracker(settings, server.url, bus, await bus.info()))
            return refused.value

    return asyncio.run(run())


def test_a_key_set_since_the_tracker_was_started_wants_a_restart_and_none_wants_a_key() -> None:
    keyed = _refused(Settings(seal=SealSettings(key=Path("seal.key"))))
    assert keyed.code == "not-sealed"
    assert "restart it" in keyed.hint
    assert "--new-key" in _refused(Settings()).hint
