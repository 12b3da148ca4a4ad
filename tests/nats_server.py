"""A real nats-server for a test: its own directory, its own port, killed and started again as the test wants."""

import contextlib
import os
import signal
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.embedded import EmbeddedServer
from cardtrail.services.bus.streams import Sizes

SMALL = Sizes(facts=256 << 20, bodies=64 << 20, reports=16 << 20)


class Server(EmbeddedServer):
    """The product's own server child, with the cruelties a test needs; once killed it stays dead until it is revived."""

    def __init__(self, directory: Path, *, kept_alive: bool = False, **settings: Any) -> None:
        super().__init__(directory, kept_alive=kept_alive, **settings)

    def kill(self) -> None:
        """kill -9, as a crash of the machine would; the data stays."""
        assert self._process is not None
        os.kill(self._process.pid, signal.SIGKILL)
        self._process.wait()

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
async def fresh_bus(*, patience_s: float = 5.0, sizes: Sizes = SMALL) -> AsyncIterator[tuple[Bus, Server]]:
    """A bus with all streams on a server of its own."""
    with server() as running:
        async with Bus(running.url, streams=sizes, patience_s=patience_s) as bus:
            yield bus, running
