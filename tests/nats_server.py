"""A real nats-server for a test: its own directory, its own port, killed and started again as the test wants."""

import contextlib
import itertools
import os
import socket
import tempfile
import time
from collections.abc import AsyncIterator, Iterable, Iterator
from pathlib import Path
from typing import Any

from cardtrail.events import Fact, encode
from cardtrail.events.subjects import subject
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.embedded import EmbeddedServer
from cardtrail.services.bus.pouring import Marks, Poured, pour
from cardtrail.services.bus.streams import Sizes
from tests.streams import PATIENCE_S

_OWN = 1000
_taken = itertools.count(os.getpid())
SMALL = Sizes(facts=256 << 20, bodies=64 << 20, reports=16 << 20)


def own_port() -> int:
    """A free port that nobody else is given while a killed server is away: below the system's own, in this worker's range."""
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    for _ in range(_OWN):
        port = 10_000 + worker % 20 * _OWN + next(_taken) % _OWN
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
    raise RuntimeError("no port is free")


class Server(EmbeddedServer):
    """The product's own server child, with the cruelties a test needs; once killed it stays dead until it is revived."""

    def __init__(self, directory: Path, *, port: int = 0, kept_alive: bool = False, **settings: Any) -> None:
        super().__init__(directory, port=port or own_port(), kept_alive=kept_alive, **settings)

    def kill(self) -> None:
        """kill -9, as a crash of the machine would; the data stays."""
        process = self._process  # one that is kept alive has another soon
        assert process is not None
        process.kill()
        process.wait()

    def revive(self) -> None:
        """Start again on the same port and data."""
        self.stop()
        self.start()


@contextlib.contextmanager
def server(*, port: int = 0) -> Iterator[Server]:
    """A fresh server, gone with its data afterwards; it starts in about 20 ms, so every test may have its own."""
    with (
        tempfile.TemporaryDirectory(prefix="cardtrail-nats-") as directory,
        Server(Path(directory), port=port) as running,
    ):
        yield running


@contextlib.asynccontextmanager
async def fresh_bus(
    *, patience_s: float = 10.0, sizes: Sizes = SMALL, holding: Iterable[Fact] = ()
) -> AsyncIterator[tuple[Bus, Server]]:
    """A bus with all streams on a server of its own; `patience_s` is for facts told later, not for the way in.

    What it is `holding` was imported: told, each of thousands would wait for the disk.
    """
    with server() as running:
        if held := [Poured(at, time.time_ns(), subject(fact.data), encode(fact)) for at, fact in enumerate(holding, 1)]:
            async with Bus(running.url) as bus:
                await pour(bus, sizes, held, Marks("sha256:test", 1, 0))
        async with Bus(running.url, streams=sizes, patience_s=PATIENCE_S) as bus:
            bus.patience_s = patience_s
            yield bus, running
