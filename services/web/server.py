"""The HTTP server: a socket of our own, uvicorn on it, ended by an event instead of signals."""

import asyncio
import contextlib
import logging
import socket
from collections.abc import Callable, Iterator

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from cardtrail.services.web.seldom import Seldom

log = logging.getLogger("cardtrail.web")
_AGAIN_S = 5.0
_GRACE_S = 2
_REQUEST_S = 10.0
_CONNECTIONS = 500
"""Well below the files that a process may have open (1,024 by default): the broker and the log need some, too."""


class Impatient(H11Protocol):
    """A connection that is closed when a request has not come in whole in time: else whoever sends nothing holds it for ever."""

    request_s = _REQUEST_S
    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """See `asyncio.Protocol`."""
        super().connection_made(transport)
        self._await_request()

    def data_received(self, data: bytes) -> None:
        """See `asyncio.Protocol`."""
        super().data_received(data)
        self._await_request()

    def connection_lost(self, exc: Exception | None) -> None:
        """See `asyncio.Protocol`."""
        self._in_time()
        super().connection_lost(exc)

    def _should_upgrade(self) -> bool:
        """Never, and without a word: to ask for another protocol costs a visitor nothing."""
        return False

    def _await_request(self) -> None:
        if self.conn.their_state not in {h11.IDLE, h11.SEND_BODY}:
            self._in_time()
        elif self._late is None:
            self._late = self.loop.call_later(self.request_s, self.transport.abort)

    def _in_time(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None


class _Server(uvicorn.Server):
    """Leaves signals to the service."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


async def listen(
    host: str, port: int, stop: asyncio.Event, hindered: Callable[[str], None] = lambda _: None
) -> socket.socket | None:
    """A listening socket, None once stopped; while the port is taken it is tried again: the tracker goes on without its page.

    `hindered` is told why at each try.
    """
    warned = False
    while not stop.is_set():
        try:
            return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
        except OSError as error:
            why = f"{host} port {port}: {error.strerror}"
            hindered(why)
            if not warned:
                log.warning("no page: %s; tried again every %.0f s", why, _AGAIN_S)
            warned = True
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), _AGAIN_S)
    return None


async def serve(
    app: ASGIApp, listening: socket.socket, stop: asyncio.Event, *, protocol: type[Impatient] = Impatient
) -> None:
    """Answer until `stop`; answers under way have two seconds."""
    config = uvicorn.Config(
        app,
        log_config=None,
        log_level="warning",
        access_log=False,
        lifespan="off",
        http=protocol,
        limit_concurrency=_CONNECTIONS,
        ws="none",
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=_GRACE_S,
    )
    server = _Server(config)
    seldom, said = Seldom(), logging.getLogger("uvicorn.error")
    said.addFilter(seldom)
    running = asyncio.create_task(server.serve(sockets=[listening]))
    stopped = asyncio.create_task(stop.wait())
    try:
        await asyncio.wait({running, stopped}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        server.should_exit = True
        stopped.cancel()
        await running
        said.removeFilter(seldom)
