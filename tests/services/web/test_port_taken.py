"""Where the page's port is taken its process says so: it is not healthy, and `doctor` names the port and the setting."""

import asyncio
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cardtrail.services.web.whereabouts import found
from tests.nats_server import fresh_bus
from tests.services.cli.program import START, cardtrail
from tests.streams import PATIENCE_S


async def asked(url: str, folder: Path, *words: str, until: Callable[[int], bool]) -> Any:
    """The document of a command, asked again until its exit code is this one."""
    end = time.monotonic() + PATIENCE_S
    while True:
        done = await asyncio.to_thread(
            cardtrail, *words, "--json", cwd=folder, NATS_URL=url, CARDTRAIL_DATA=str(folder / "data")
        )
        if until(done.code):
            return done.json
        assert time.monotonic() < end, done


def test_a_page_without_its_port_is_not_healthy_and_doctor_says_which_and_it_serves_once_the_port_is_free(
    tmp_path: Path,
) -> None:
    async def run() -> None:
        async with fresh_bus() as (_, server):
            with socket.create_server(("127.0.0.1", 0)) as taken:
                port = taken.getsockname()[1]
                (tmp_path / "cardtrail.toml").write_text(f"[web]\nport = {port}\n")
                seen = {**os.environ, "NATS_URL": server.url, "CARDTRAIL_DATA": str(tmp_path / "data")}
                web = subprocess.Popen([sys.executable, "-c", START, "run", "web"], cwd=tmp_path, env=seen)  # noqa: ASYNC220 — at once
                try:
                    told = await asked(server.url, tmp_path, "healthy", "web", until=lambda code: code == 1)
                    assert (told["healthy"], told["waits"]) == (False, False)
                    checks = (await asked(server.url, tmp_path, "doctor", until=lambda code: code == 1))["checks"]
                    (check,) = [one for one in checks if one["name"] == "web"]
                    assert (check["level"], str(port) in check["says"]) == ("failed", True)
                    assert "[web] port" in check["fix"]
                    taken.close()
                    told = await asked(server.url, tmp_path, "healthy", "web", until=lambda code: code == 0)
                    assert "port" not in told["folds"]
                    assert found(tmp_path / "data") == f"http://127.0.0.1:{port}"
                finally:
                    web.terminate()
                    web.wait()

    asyncio.run(run())
