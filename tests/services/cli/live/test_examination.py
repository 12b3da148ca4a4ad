"""`doctor` on a real broker with real faults: a stream set otherwise, one that is gone, services that are not there."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.names import FACTS, REPORTS
from tests.nats_server import fresh_bus


async def doctor(bus: Bus, url: str, folder: Path) -> list[dict[str, Any]]:
    words = [sys.executable, "-m", "cardtrail.services.cli", "doctor", "--json"]
    seen = {**os.environ, "NATS_URL": url}
    done = await asyncio.to_thread(subprocess.run, words, cwd=folder, env=seen, capture_output=True, check=False)
    assert done.returncode == 1, done.stderr
    assert (await bus.info()).facts == 0, "it changes nothing"
    return list(json.loads(done.stdout)["checks"])


def test_streams_that_differ_or_are_gone_and_silent_services_are_named_with_a_fix(tmp_path: Path) -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, server):
            config = (await bus.connection.js.stream_info(FACTS)).config
            config.max_age = 30 * 86_400
            await bus.connection.js.update_stream(config)
            await bus.connection.js.delete_stream(REPORTS)
            checks = await doctor(bus, server.url, tmp_path)
            kept = (await bus.connection.js.stream_info(FACTS)).config.max_age
        ill = {(one["name"], one["level"], one["says"]) for one in checks if one["level"] != "ok"}
        assert ("streams", "failed", f"{REPORTS} is missing") in ill
        assert any(level == "warning" and f"{FACTS} max_age" in says for _, level, says in ill)
        assert {name for name, level, says in ill if says == "does not answer"} >= {"fetcher", "compiler", "decider"}
        assert all(one["fix"] for one in checks if one["level"] != "ok")
        assert kept == 30 * 86_400, "a live setting is never rewritten"

    asyncio.run(run())
