"""Simulated peers end with their connections closed: nothing of them is left for another test to stumble over."""

import asyncio
import socket
import threading
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any

import uvicorn

PATIENCE_S = 60.0
"""How long a test waits for what comes at once on an idle machine: spent only where it never comes."""


@asynccontextmanager
async def ended(writer: asyncio.StreamWriter) -> AsyncIterator[None]:
    """Cut the connection at the end and wait until its socket is closed."""
    try:
        yield
    finally:
        writer.transport.abort()
        with suppress(OSError):
            await writer.wait_closed()


def serve(handlers: set[asyncio.Task[None]], writer: asyncio.StreamWriter, work: Coroutine[Any, Any, None]) -> None:
    """Serve a connection beside the others; one that is cancelled before it began is cut, too."""
    handler = asyncio.create_task(work)
    handlers.add(handler)
    handler.add_done_callback(handlers.discard)
    handler.add_done_callback(lambda _: writer.transport.abort())


async def stopped(server: asyncio.Server, handlers: set[asyncio.Task[None]]) -> None:
    """Listen no more, cancel what is being served, and wait until it has ended."""
    server.close()
    for handler in handlers:
        handler.cancel()
    await asyncio.gather(*handlers, return_exceptions=True)


class Uvicorn(uvicorn.Server):
    """A uvicorn in a thread of its own; by itself it leaves the connections open that do not end within its grace."""

    def begin(self, listening: socket.socket) -> None:
        """Serve from now on; who connects before it is ready waits."""
        self._thread = threading.Thread(target=self.run, args=([listening],), daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Serve no more; every connection is closed."""
        self.should_exit = True
        self._thread.join(PATIENCE_S)
        assert not self._thread.is_alive(), "the simulated peer does not end"

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await super().shutdown(sockets)
        for connection in tuple(self.server_state.connections):
            connection.transport.abort()
        while self.server_state.connections:  # noqa: ASYNC110 — uvicorn tells nobody when one is gone
            await asyncio.sleep(0)
