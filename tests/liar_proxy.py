"""A gateway with TLS between the tracker and an unchanged agent that breaks what the agent keeps, as a test sets it.

    with LiarProxy(agent.port, "pricing.example") as proxy:
        proxy.lie("SendStreamingMessage", "buffer")

Lies: `buffer` (the whole answer at its end), `empty` (200, an event stream, no event), `plain` (the stream as application/json),
`page` (200 and a login page), `untyped` (no Content-Type), `versionless` (our A2A-Version is dropped on the way), `typeless` (our
Content-Type is), `bare` (every header of ours is), `slow` (a comment byte by byte, without end), `throttle`
(429 as text/plain with Retry-After 7), `broken` (500 as text/plain), `unavailable` (503), `closed` (401), `missing` (404),
`giant` (one event without end), `silent` (headers and nothing more), `lost` (the connection is cut before an answer).
A POST to /hook is a message to an owner: noted in `hooks`, answered from `hook_answers` in turn, else with 200.
"""

import asyncio
import json
import socket
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self

import anyio
import httpx
import trustme
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from tests.streams import Uvicorn

SSE = "text/event-stream"
PAGES: dict[str, tuple[int, str, bytes, dict[str, str]]] = {
    "empty": (200, SSE, b"", {}),
    "page": (200, "text/html", b"<!doctype html><form>Log in</form>", {}),
    "throttle": (429, "text/plain", b"slow down", {"Retry-After": "7"}),
    "broken": (500, "text/plain", b"it broke", {}),
    "unavailable": (503, "text/plain", b"later", {}),
    "closed": (401, "application/json", b'{"detail":"who are you?"}', {"WWW-Authenticate": "Bearer"}),
    "missing": (404, "text/plain", b"Not Found", {}),
}
STRIPPED = {
    "versionless": {"a2a-version"},
    "typeless": {"content-type"},
    "bare": {"content-type", "accept", "a2a-version", "a2a-extensions", "authorization"},
}


class LiarProxy:
    """A context manager with `port`, `ca_file`, `cards` (served instead of the agent's own), `calls` (method, lie)."""

    def __init__(self, upstream: int, *names: str) -> None:
        self._upstream, self.names = upstream, names or ("agent.example",)
        self._lies: dict[str, str] = {}
        self.cards: dict[str, dict[str, Any]] = {}
        self.calls: list[tuple[str, str, dict[str, str]]] = []
        self.bodies: list[bytes] = []
        self.silent = threading.Event()
        self.hooks: list[tuple[dict[str, str], dict[str, Any]]] = []
        self.hook_answers: list[tuple[int, dict[str, str]]] = []
        self._folder = TemporaryDirectory()
        folder = Path(self._folder.name)
        self.ca = trustme.CA()
        self.ca_file = folder / "ca.pem"
        self.ca.cert_pem.write_to_path(str(self.ca_file))
        issued, chain, key = self.ca.issue_cert(*self.names), folder / "chain.pem", folder / "key.pem"
        issued.private_key_pem.write_to_path(str(key))
        for n, blob in enumerate(issued.cert_chain_pems):
            blob.write_to_path(str(chain), append=n > 0)
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        routes = [Route("/{path:path}", self._pass, methods=["GET", "POST"])]
        config = uvicorn.Config(
            Starlette(routes=routes, lifespan=self._live), ssl_certfile=chain, ssl_keyfile=key, log_level="critical",
            timeout_graceful_shutdown=1,
        )  # fmt: skip
        self._server = Uvicorn(config)

    def __enter__(self) -> Self:
        self._server.begin(self._socket)
        return self

    def __exit__(self, *_: object) -> None:
        self._server.end()
        self._socket.close()
        self._folder.cleanup()

    @property
    def base(self) -> str:
        """Where the agent seems to be."""
        return f"https://{self.names[0]}:{self.port}"

    def lie(self, method: str, lie: str) -> None:
        """From now on calls of this JSON-RPC method (`*` = all of them) are answered so; "" is the truth again."""
        self._lies[method] = lie

    @asynccontextmanager
    async def _live(self, _app: Starlette) -> AsyncIterator[None]:
        """One client for all that is passed on; with it ends what nobody read to its end."""
        alone = httpx.Limits(max_keepalive_connections=0)
        async with httpx.AsyncClient(timeout=30, trust_env=False, limits=alone) as self._client:
            yield

    async def _pass(self, request: Request) -> Response:
        host = request.headers.get("host", "").partition(":")[0]
        if request.method == "GET" and host in self.cards and request.url.path.startswith("/.well-known/"):
            return JSONResponse(self.cards[host])
        body = await request.body()
        if request.url.path == "/hook":
            self.hooks.append((dict(request.headers), json.loads(body)))
            status, headers = self.hook_answers.pop(0) if self.hook_answers else (200, {})
            return Response(b"ok", status, headers, media_type="text/plain")
        method = (await request.json()).get("method", "") if body else request.url.path
        lie = self._lies.get(method, self._lies.get("*", ""))
        self.calls.append((method, lie, dict(request.headers)))
        self.bodies.append(body)
        if lie in PAGES:
            status, media, page, headers = PAGES[lie]
            return Response(page, status, headers, media_type=media)
        if lie == "silent":
            self.silent.set()
        if lie in {"giant", "silent", "lost", "slow"}:
            return StreamingResponse(_endless(lie), media_type=SSE)
        return await self._forward(request, body, lie)

    async def _forward(self, request: Request, body: bytes, lie: str) -> Response:
        kept = {"content-type", "accept", "a2a-version", "a2a-extensions", "authorization"} - STRIPPED.get(lie, set())
        headers = {name: value for name, value in request.headers.items() if name in kept}
        url = f"http://127.0.0.1:{self._upstream}{request.url.path}"
        asked = self._client.build_request(request.method, url, headers=headers, content=body)
        sent = await self._client.send(asked, stream=True)
        media = sent.headers.get("content-type", "")
        named = {} if lie == "untyped" else {"content-type": "application/json" if lie == "plain" else media}
        if lie == "buffer":
            whole = await sent.aread()
            return Response(whole, sent.status_code, named)

        async def body_of() -> AsyncIterator[bytes]:
            try:
                async for chunk in sent.aiter_raw():
                    yield chunk
            finally:
                with anyio.CancelScope(shield=True):  # the caller may have had enough
                    await sent.aclose()

        return StreamingResponse(body_of(), sent.status_code, named)


async def _endless(lie: str) -> AsyncIterator[bytes]:
    if lie == "lost":
        raise ConnectionResetError
    yield b": hello\n\n"
    if lie == "silent":
        await asyncio.sleep(60)
    while lie == "slow":
        yield b":"
        await asyncio.sleep(0.02)
    yield b"data: "
    for _ in range(1 << 8):
        yield b"x" * 65_536
