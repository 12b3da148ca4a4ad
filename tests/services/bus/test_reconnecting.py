"""While a broker hangs, a client tries again and again: no attempt leaves a socket behind, and none is made once it has ended."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

from cardtrail.services.bus.bus import Bus
from tests.nats_server import server
from tests.streams import PATIENCE_S, ended, stopped


class Hanging:
    """A broker in place of one that died: it takes connections and says nothing; `came` and `went` are set by each."""

    def __init__(self) -> None:
        self.came, self.went, self.held = asyncio.Event(), asyncio.Event(), 0
        self._handlers: set[asyncio.Task[None]] = set()

    @contextlib.asynccontextmanager
    async def at(self, port: int) -> AsyncIterator[None]:
        listening = await asyncio.start_server(self._accepted, "127.0.0.1", port)
        try:
            yield
        finally:
            await stopped(listening, self._handlers)

    def _accepted(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._handlers.add(asyncio.ensure_future(self._hold(reader, writer)))

    async def _hold(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async with ended(writer):
            self.held += 1
            self.came.set()
            await reader.read()
            self.held -= 1
            self.went.set()


def test_the_socket_of_an_attempt_that_nobody_answered_is_closed() -> None:
    async def run() -> None:
        hanging = Hanging()
        with server() as broker:
            async with Bus(broker.url):
                broker.kill()
                async with hanging.at(broker.port):
                    await asyncio.wait_for(hanging.went.wait(), PATIENCE_S)

    asyncio.run(run())


def test_a_client_that_ends_meanwhile_tries_no_more() -> None:
    async def run() -> None:
        hanging = Hanging()
        with server() as broker:
            async with contextlib.AsyncExitStack() as later:
                async with Bus(broker.url) as bus:
                    broker.kill()
                    await later.enter_async_context(hanging.at(broker.port))
                    await asyncio.wait_for(hanging.came.wait(), PATIENCE_S)
                assert bus.connection.closed.is_set()
                await asyncio.wait_for(hanging.went.wait(), PATIENCE_S)
                assert hanging.held == 0

    asyncio.run(run())
