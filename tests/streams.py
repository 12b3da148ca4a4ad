"""A connection of a simulated peer that ends when its handler does: nothing of it is left for another test to stumble over."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress


@asynccontextmanager
async def ended(writer: asyncio.StreamWriter) -> AsyncIterator[None]:
    """Cut the connection at the end and wait until its socket is closed."""
    try:
        yield
    finally:
        writer.transport.abort()
        with suppress(OSError):
            await writer.wait_closed()


async def stopped(server: asyncio.Server, handlers: set[asyncio.Task[None]]) -> None:
    """Listen no more, cancel what is being served, and wait until it has ended."""
    server.close()
    for handler in handlers:
        handler.cancel()
    await asyncio.gather(*handlers, return_exceptions=True)
