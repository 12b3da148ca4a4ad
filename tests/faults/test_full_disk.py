"""A disk that is full for a while ends no service; each says once what it cannot do, and goes on once there is room."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

import pytest

from tests.nats_server import own_port
from tests.services.cli.program import KEPT, START, child, interruptible
from tests.streams import PATIENCE_S

ROOM = 48 << 20
CARD = Path(__file__).parents[2] / "examples" / "card.json"


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A small disk, where this account may mount one."""
    mount = ["mount", "-t", "tmpfs", "-o", f"size={ROOM}", "tmpfs", str(tmp_path)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no disk may be mounted here")
    yield tmp_path
    subprocess.run(["umount", "--lazy", tmp_path], check=True)


class Said:
    """The lines of a program's standard error, and a wait for one of them."""

    def __init__(self, stream: IO[str]) -> None:
        self.lines: list[str] = []
        self._more = threading.Condition()
        self._reading = threading.Thread(target=self._read, args=(stream,), daemon=True)
        self._reading.start()

    def _read(self, stream: IO[str]) -> None:
        with stream:
            for line in stream:
                with self._more:
                    self.lines.append(line.rstrip())
                    self._more.notify_all()

    def until(self, enough: Callable[[list[str]], bool]) -> None:
        with self._more:
            assert self._more.wait_for(lambda: enough(self.lines), PATIENCE_S), self.lines

    def ended(self) -> None:
        self._reading.join(PATIENCE_S)


def fill(disk: Path) -> Path:
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(64 << 10))
        except OSError:
            return filler


def about(word: str) -> Callable[[list[str]], bool]:
    return lambda lines: any(word in line for line in lines)


def test_a_full_disk_is_said_once_by_each_ends_none_and_is_over_once_there_is_room(disk: Path) -> None:
    settings = disk / "cardtrail.toml"
    settings.write_text(f'[web]\nport = {own_port()}\n[agents.pricing]\nfile = "{CARD}"\ninterval = "10s"\n')
    environ = {"CARDTRAIL_DATA": str(disk / "data"), "CARDTRAIL_CONFIG": str(settings)}
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    program = [sys.executable, "-c", START, "up", "--config", str(settings)]
    with interruptible(program, env={**kept, **environ}, stderr=subprocess.PIPE, text=True) as up:
        assert up.stderr is not None
        said = Said(up.stderr)
        try:
            said.until(about("The page is at"))
            filler = fill(disk)
            said.until(about("could not write"))
            troubles: list[dict[str, str]] = []
            while not troubles:
                troubles = json.loads(child("status", "--config", settings, "--json", **environ).out)["troubles"]
            assert all(one["fix"] for one in troubles)
            filler.unlink()
            said.until(about("works again"))
        finally:
            up.send_signal(signal.SIGINT)
            assert up.wait(PATIENCE_S) == 0
        said.ended()
    assert not [line for line in said.lines if "ended with" in line]
    warned = Counter(re.sub(r"^\S+ \S+ ", "", line) for line in said.lines if " WARNING " in line)
    assert set(warned.values()) == {1}, warned
