"""Lanes: one small connection pool per (origin, judged addresses, client certificate), so no connection serves two judgements."""

import asyncio
import ssl
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

import httpcore

from cardtrail.services.outbound.call import Limits, Refused
from cardtrail.services.outbound.faults import STALE

Key = tuple[object, ...]


class PinnedBackend(httpcore.AsyncNetworkBackend):
    """Connects to the judged addresses in their order, whatever name it is given; TLS above it keeps the name."""

    def __init__(self, addresses: tuple[str, ...]) -> None:
        """Pin to the addresses."""
        self._addresses, self._inner = addresses, httpcore.AnyIOBackend()

    async def connect_tcp(  # the transport's own signature
        self,
        host: str,  # noqa: ARG002 — the name is what a pin must not look at
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """The first address that takes the connection; the timeout holds for each."""
        last: Exception = httpcore.ConnectError("no address")
        for address in self._addresses:
            try:
                return await self._inner.connect_tcp(address, port, timeout, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                last = error
        raise last

    async def sleep(self, seconds: float) -> None:
        """Wait, as the transport asks between its own retries."""
        await self._inner.sleep(seconds)


class Lane:
    """The connections to one origin at its judged addresses; at most `slots` of them at once."""

    def __init__(self, pool: httpcore.AsyncConnectionPool, addresses: tuple[str, ...], slots: int) -> None:
        """Start idle."""
        self.pool, self.addresses = pool, addresses
        self.users, self.used_at = 0, time.monotonic()
        self._slots, self._served = asyncio.Semaphore(slots), False

    @asynccontextmanager
    async def slot(self, deadline: float) -> AsyncIterator[None]:
        """Wait for a free connection, until the loop's clock reads `deadline`.

        Raises:
            Refused: `door-busy`, ours: other calls to the same host took too long.
        """
        self.users += 1
        try:
            try:
                async with asyncio.timeout_at(deadline):
                    await self._slots.acquire()
            except TimeoutError:
                raise Refused("connect", "door-busy", "no free connection to this host", "ours") from None
            try:
                yield
            finally:
                self._slots.release()
        finally:
            self.users -= 1

    async def send(self, request: httpcore.Request, limits: Limits) -> httpcore.Response:
        """Send over a kept or fresh connection; a GET that meets a kept one already closed is sent once more."""
        timeout = {"connect": limits.connect_s, "read": limits.read_s, "write": limits.read_s}
        request.extensions["timeout"] = timeout
        try:
            response = await self.pool.handle_async_request(request)
        except STALE:
            if not self._served or request.method != b"GET":
                raise
            self._served = False
            response = await self.pool.handle_async_request(request)
        self._served = True
        self.used_at = time.monotonic()
        return response

    def peer(self, response: httpcore.Response) -> str:
        """The address an answer came from, "" where a proxy or a connection already gone hides it."""
        if len(self.addresses) == 1:
            return self.addresses[0]
        stream = response.extensions.get("network_stream") if self.addresses else None
        peer = stream.get_extra_info("server_addr") if stream is not None else None
        return str(peer[0]) if peer else ""


class Lanes:
    """All lanes, least recently used first; idle ones beyond `keep` or older than `keepalive_s` seconds are closed."""

    def __init__(self, *, per_host: int, keep: int = 256, keepalive_s: float = 30.0) -> None:
        """Start with none."""
        self._lanes: OrderedDict[Key, Lane] = OrderedDict()
        self._per_host, self._keep, self._keepalive_s = per_host, keep, keepalive_s

    async def lane(
        self, key: Key, addresses: tuple[str, ...], context: ssl.SSLContext, proxy: httpcore.Proxy | None
    ) -> Lane:
        """The lane of that key, made where there is none; a proxy replaces the pin (it owns resolution then)."""
        if key not in self._lanes:
            await self._close_surplus()
        lane = self._lanes.get(key)  # which another call may have made meanwhile
        if lane is None:
            pool = httpcore.AsyncConnectionPool(
                ssl_context=context,
                proxy=proxy,
                max_connections=self._per_host,
                keepalive_expiry=self._keepalive_s,
                network_backend=None if proxy else PinnedBackend(addresses),
            )
            lane = self._lanes[key] = Lane(pool, addresses, self._per_host)
        self._lanes.move_to_end(key)
        return lane

    async def close(self) -> None:
        """Close every connection."""
        lanes, self._lanes = self._lanes, OrderedDict()
        for lane in lanes.values():
            await lane.pool.aclose()

    async def _close_surplus(self) -> None:
        old = time.monotonic() - self._keepalive_s
        surplus = len(self._lanes) - self._keep + 1
        doomed = [
            key
            for n, (key, lane) in enumerate(self._lanes.items())
            if not lane.users and (n < surplus or lane.used_at < old)
        ]
        for lane in [self._lanes.pop(key) for key in doomed]:
            await lane.pool.aclose()
