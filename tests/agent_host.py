"""A simulated provider over real TLS: several agents on one port, by path or by Host, whose answers and faults a test sets.

    with AgentHost("agent.example") as host:
        host.serve("/.well-known/agent-card.json", card)
        ...
        host.seen[0].headers["if-none-match"]

A page is a `Reply`, a JSON value, or a function from the request seen to a `Reply`, so a test decides per request. Validators
are answered as RFC 9110 says unless a reply brings its own. The server runs in a thread of its own and knows nothing of ours.
"""

import asyncio
import json
import socket
import ssl
import struct
import threading
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any, Self

import trustme

from tests.streams import PATIENCE_S, ended, serve, stopped

REASONS = {
    200: "OK",
    302: "Found",
    304: "Not Modified",
    401: "Unauthorized",
    404: "Not Found",
    429: "Too Many Requests",
}


@dataclass(frozen=True)
class Seen:
    """A request as it arrived; `sni` is the name asked for in TLS, `peer` our own port of the connection."""

    method: str
    host: str
    path: str
    headers: dict[str, str]
    body: bytes
    sni: str | None
    peer: int


@dataclass(frozen=True)
class Reply:
    """An answer. `chunks` replaces the body by a chunked one, with `pause_s` seconds before each; `raw` replaces it all.

    `ends` is `keep` (the connection stays), `close`, `reset` (RST) or `hang` (nothing more is ever sent).
    """

    body: Any = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    chunks: Iterable[bytes] | None = None
    pause_s: float = 0.0
    raw: bytes | None = None
    ends: str = "keep"

    def data(self) -> bytes:
        """The body as bytes."""
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body, ensure_ascii=False).encode()


Page = Callable[[Seen], Reply]


def drip(body: bytes, pause_s: float = 1.0) -> Reply:
    """One byte at a time."""
    return Reply(chunks=(body[n : n + 1] for n in range(len(body))), pause_s=pause_s)


def endless(total: int = 10 * 2**30) -> Reply:
    """10 GB in chunks, if somebody reads them."""
    block = b" " * 65_536
    return Reply(chunks=(block for _ in range(total // len(block))))


def gzip_bomb(plain_bytes: int = 256 * 2**20) -> Reply:
    """A small gzip stream that unfolds a thousandfold."""
    packer = zlib.compressobj(9, wbits=31)
    block = b"\0" * 2**20
    packed = b"".join(packer.compress(block) for _ in range(plain_bytes // len(block))) + packer.flush()
    return Reply(packed, headers={"Content-Encoding": "gzip"})


def redirect(location: str, status: int = 302) -> Reply:
    """Elsewhere."""
    return Reply(status=status, headers={"Location": location})


class AgentHost:
    """The server: a context manager with `port`, `ca_file`, `seen` and `serve`; TLS unless `cleartext`.

    `client_certificates` demands one of the same authority; `address` and `port` say where it listens,
    `not_after` when its certificate ends.
    """

    def __init__(  # noqa: PLR0913 — what a provider can be
        self,
        *names: str,
        address: str = "127.0.0.1",
        port: int = 0,
        ca: trustme.CA | None = None,
        cleartext: bool = False,
        client_certificates: bool = False,
        not_after: datetime | None = None,
    ) -> None:
        self.names = names or ("localhost", "127.0.0.1")
        self.address, self.port = address, port
        self.cleartext, self.client_certificates, self.not_after = cleartext, client_certificates, not_after
        self.ca = ca or trustme.CA()
        self.seen: list[Seen] = []
        self.connections = 0
        self._pages: dict[tuple[str, str], Page] = {}
        self._handlers: set[asyncio.Task[None]] = set()
        self._folder = TemporaryDirectory()
        self.ca_file = Path(self._folder.name) / "ca.pem"
        self.ca.cert_pem.write_to_path(str(self.ca_file))
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run()), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(PATIENCE_S), "the simulated provider does not listen"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(PATIENCE_S)
        assert not self._thread.is_alive(), "the simulated provider does not end"
        self._folder.cleanup()

    def url(self, path: str = "/.well-known/agent-card.json", host: str | None = None) -> str:
        """The URL of a page at the first name, or at `host`."""
        return f"{'http' if self.cleartext else 'https'}://{host or self.names[0]}:{self.port}{path}"

    def serve(self, path: str, page: "Reply | Page | Any", host: str = "") -> None:
        """Answer `path` (for one Host, or for all) with a reply, a function, or a JSON value with status 200."""
        if callable(page):
            answer: Page = page
        else:
            reply = page if isinstance(page, Reply) else Reply(page)

            def answer(_seen: Seen) -> Reply:
                return reply

        self._pages[(host, path)] = answer

    def forget(self, path: str, host: str = "") -> None:
        """Answer 404 from now on."""
        self._pages.pop((host, path), None)

    def paths(self) -> list[str]:
        """The paths asked for, in order."""
        return [seen.path for seen in self.seen]

    async def _run(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        context = None if self.cleartext else self._tls()
        server = await asyncio.start_server(self._accepted, self.address, self.port, ssl=context)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        await stopped(server, self._handlers)

    def _tls(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.ca.issue_cert(*self.names, not_after=self.not_after).configure_cert(context)
        if self.client_certificates:
            context.verify_mode = ssl.CERT_REQUIRED
            self.ca.configure_trust(context)

        def remember(connection: Any, name: str | None, _context: ssl.SSLContext) -> None:
            connection.sni = name

        context.sni_callback = remember  # type: ignore[assignment]  # typeshed wants an int
        return context

    def _accepted(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        serve(self._handlers, writer, self._connected(reader, writer))

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        async with ended(writer):
            await self._serve(reader, writer)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while (seen := await _request(reader, writer)) is not None:
                self.seen.append(seen)
                page = self._pages.get((seen.host.partition(":")[0], seen.path)) or self._pages.get(("", seen.path))
                reply = page(seen) if page else Reply({"error": "nothing here"}, status=404)
                await _write(_conditional(seen, reply), writer)
                if reply.ends != "keep":
                    await self._end(reply.ends, writer)
                    return
        except (OSError, asyncio.IncompleteReadError):
            pass  # the other side has had enough

    async def _end(self, how: str, writer: asyncio.StreamWriter) -> None:
        await writer.drain()
        if how == "hang":
            await self._stop.wait()
        if how == "reset":
            raw = writer.get_extra_info("socket")
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            writer.transport.abort()
        else:
            writer.close()


async def _request(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Seen | None:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    first, *lines = head.decode("latin-1").split("\r\n")[:-2]
    method, path, _ = first.split(" ", 2)
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    sni = getattr(writer.get_extra_info("ssl_object"), "sni", None)
    return Seen(method, headers.get("host", ""), path, headers, body, sni, writer.get_extra_info("peername")[1])


def _conditional(seen: Seen, reply: Reply) -> Reply:
    """The reply with a tag of its own, or 304 where the request names that tag (weak comparison, RFC 9110 §13.1.2)."""
    if reply.status != 200 or reply.chunks is not None or reply.raw is not None or seen.method != "GET":
        return reply
    tag = reply.headers.get("ETag", f'"{sha256(reply.data()).hexdigest()[:16]}"')
    headers = {"Content-Type": "application/json", "ETag": tag, **reply.headers}
    asked = [held.strip().removeprefix("W/") for held in seen.headers.get("if-none-match", "").split(",")]
    if tag and tag.removeprefix("W/") in asked:
        return Reply(b"", 304, headers)
    return Reply(reply.body, 200, headers, ends=reply.ends)


async def _write(reply: Reply, writer: asyncio.StreamWriter) -> None:
    if reply.raw is not None:
        writer.write(reply.raw)
        return
    headers = {"Content-Type": "application/json", **reply.headers}
    if reply.chunks is None:
        headers |= {} if reply.status == 304 else {"Content-Length": str(len(reply.data()))}
    else:
        headers["Transfer-Encoding"] = "chunked"
    lines = [
        f"HTTP/1.1 {reply.status} {REASONS.get(reply.status, 'Status')}",
        *(f"{k}: {v}" for k, v in headers.items() if v),
    ]
    writer.write(("\r\n".join(lines) + "\r\n\r\n").encode("latin-1"))
    if reply.chunks is None:
        writer.write(b"" if reply.status == 304 else reply.data())
        return
    for chunk in reply.chunks:
        await asyncio.sleep(reply.pause_s)
        writer.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
        await writer.drain()
    writer.write(b"0\r\n\r\n")
