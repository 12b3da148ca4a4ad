"""Clients that send slowly or not at all keep nobody out: each is given up in time."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator

import pytest
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from cardtrail.services.web import server
from tests.services.bus.test_retried import heard
from tests.streams import PATIENCE_S

WHOLE = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"


class Hasty(server.Impatient):
    request_s = 0.3


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    while (await receive()).get("more_body"):
        pass
    await PlainTextResponse("here")(scope, receive, send)


@contextlib.asynccontextmanager
async def page() -> AsyncIterator[int]:
    stop = asyncio.Event()
    listening = await server.listen("127.0.0.1", 0, stop)
    assert listening is not None
    port = listening.getsockname()[1]
    serving = asyncio.create_task(server.serve(app, listening, stop, protocol=Hasty))
    try:
        yield port
    finally:
        stop.set()
        await serving


@pytest.mark.parametrize(
    "begun", [b"", b"GET / HTTP/1.1\r\nHost:", b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nx"]
)
def test_a_request_that_does_not_come_in_whole_is_given_up(begun: bytes) -> None:
    async def run() -> None:
        async with page() as port:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(begun)
            with contextlib.suppress(ConnectionResetError):
                assert await asyncio.wait_for(reader.read(), PATIENCE_S) == b""
            writer.close()

    asyncio.run(run())


def test_a_request_that_comes_whole_is_answered_and_the_connection_serves_the_next() -> None:
    async def run() -> None:
        async with page() as port:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            for _ in range(3):
                writer.write(WHOLE[:10])
                await writer.drain()
                writer.write(WHOLE[10:])
                assert (await asyncio.wait_for(reader.readuntil(b"here"), PATIENCE_S)).startswith(b"HTTP/1.1 200")
            writer.close()

    asyncio.run(run())


def test_what_a_visitor_can_have_logged_is_a_line_and_not_one_a_request() -> None:
    upgrade = b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: %s\r\n\r\n"

    async def said(request: bytes, status: bytes) -> None:
        async with page() as port:
            for _ in range(20):
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                writer.write(request)
                assert (await asyncio.wait_for(reader.readline(), PATIENCE_S)).split()[1] == status
                writer.close()

    for request, status, expected in (
        (b"no HTTP\r\n\r\n", b"400", ["Invalid HTTP request received."]),
        (upgrade % b"websocket", b"200", []),
        (upgrade % b"h2c", b"200", []),
    ):
        with heard(logging.getLogger("uvicorn.error")) as told:
            asyncio.run(said(request, status))
        assert told.lines == expected
