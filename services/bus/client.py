"""nats-py's client and FastStream's broker, mended: what is read in bulk goes a short way, and nothing is left behind.

Two thirds of what nats-py does for a message are for callbacks one by one and for headers that a reader never looks at: the
short way is from the socket to the reader without a task or a queue between.
"""

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from typing import Any, NamedTuple

from faststream.nats import NatsBroker
from nats.aio.client import Client, ErrorCallback, Srv
from nats.aio.subscription import Subscription

from cardtrail.services.bus.alone import ended

_STATUS_AT = len(b"NATS/1.0")


class Arrived(NamedTuple):
    """A message as far as a reader needs it; `headers` are read where they say a status, or where all are wanted."""

    subject: str
    reply: str
    data: bytes
    headers: dict[str, str] | None


Take = Callable[[Arrived], None]
_Parsed = Callable[[bytes, bytes, bytes, bytes | None], Coroutine[Any, Any, None]]


class BulkClient(Client):
    """The client of every connection; what takes no short way goes nats-py's own."""

    def __init__(self) -> None:
        """Not connected yet."""
        super().__init__()
        self._short: dict[int, _Parsed] = {}

    async def _connect_to_server(self, s: Srv) -> None:
        """After an attempt that came to nothing its socket is closed: a broker that hangs would cost one every other second."""
        await self._hang_up()
        await super()._connect_to_server(s)

    async def close(self) -> None:
        """Ends an attempt to reconnect, too: nats-py cancels it once, which is lost where it meets a result."""
        await super().close()
        attempt = self._reconnection_task
        if attempt is not None and attempt is not asyncio.current_task():
            await ended(attempt)
            await super().close()  # of what it has begun meanwhile
            await self._hang_up()

    async def _hang_up(self) -> None:
        if self._transport:
            self._transport.close()  # type: ignore[no-untyped-call]
            with contextlib.suppress(OSError):
                await self._transport.wait_closed()  # type: ignore[no-untyped-call]

    def shorten(
        self, subscription: Subscription, take: Take, *, wants_headers: Callable[[], bool]
    ) -> Callable[[], object]:
        """Hand messages to `take` as they are parsed, from before the first can have come; the answer ends that."""

        async def parsed(subject: bytes, reply: bytes, data: bytes, headers: bytes | None) -> None:
            wanted = headers and (headers[_STATUS_AT : _STATUS_AT + 1] == b" " or wants_headers())
            read = await self._process_headers(headers) if wanted else None
            take(Arrived(subject.decode(), reply.decode(), data, read))

        number = subscription._id  # noqa: SLF001 — the one name that it has on the wire
        self._short[number] = parsed
        return lambda: self._short.pop(number, None)

    def _process_msg(
        self, sid: int, subject: bytes, reply: bytes, data: bytes, headers: bytes | None
    ) -> Coroutine[Any, Any, None]:
        short = self._short.get(sid)
        if short is None:
            return super()._process_msg(sid, subject, reply, data, headers)  # type: ignore[arg-type]  # None is meant
        return short(subject, reply, data, headers)


class Broker(NatsBroker):
    """FastStream's broker with three repairs.

    Its error callback raises what it deems hopeless inside nats-py's reconnect loop, which ends for good without a word; a
    connection that fails half-way is left open; and so is one that is stopped while the broker is away, and goes on trying.
    """

    async def _connect(self) -> Client:
        client = BulkClient()
        try:
            await client.connect(**self._connection_kwargs)
        except BaseException:
            await client.close()
            raise
        self.config.broker_config.connect(client)
        return client

    def _log_connection_broken(self, error_cb: ErrorCallback | None = None) -> ErrorCallback:
        if error_cb is None:
            raise TypeError("a callback is needed")
        return error_cb

    async def stop(self, *reason: Any) -> None:
        """Ends closed, whatever else it ends with."""
        try:
            await super().stop(*reason)
        finally:
            if self._connection is not None:
                await self._connection.close()
