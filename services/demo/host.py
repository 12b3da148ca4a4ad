"""A provider for the worked examples: real HTTPS on loopback, one card per host name, changed on cue.

It answers conditional requests (weak ETag over the bytes), and `GetTask`, `SendMessage` and `SendStreamingMessage` in JSON-RPC,
so that probes and planners meet an agent and not a picture of one. Pages, tokens (RFC 6749 §4.4) and extended cards are there
where a story publishes them.
"""

import hashlib
import json
import socket
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Self

import uvicorn
from sse_starlette.sse import EventSourceResponse
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from cardtrail.services.outbound.secret import basic
from cardtrail.services.wire.errors import CODE_OF, DOMAIN

WELL_KNOWN = "/.well-known/agent-card.json"


class DemoHost:
    """Serves the cards of several host names on one loopback port, in a thread; a context manager."""

    def __init__(self, chain: Path, key: Path) -> None:
        """Bind a free port at once, serve when entered."""
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        self._cards: dict[str, bytes] = {}
        self.really_streams: dict[str, bool] = {}
        self.requests: list[tuple[str, str, int]] = []
        self.hooks: list[dict[str, Any]] = []
        self._pages: dict[tuple[str, str], Any] = {}
        self._clients: dict[tuple[str, str], str] = {}
        self._extended: dict[tuple[str, str], Any] = {}
        routes = [
            Route(WELL_KNOWN, self._card),
            Route("/a2a/rpc", self._call, methods=["POST"]),
            Route("/a2a/rest/tasks/{task}", self._no_task),
            Route("/token", self._token, methods=["POST"]),
            Route("/hook", self._hook, methods=["POST"]),
            Route("/{page:path}", self._page),
        ]
        config = uvicorn.Config(
            Starlette(routes=routes),
            ssl_certfile=chain,
            ssl_keyfile=key,
            log_level="critical",
            lifespan="off",
            timeout_graceful_shutdown=1,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, args=([self._socket],), daemon=True)

    def publish(self, host: str, card: dict[str, Any]) -> None:
        """From now on this host serves this card."""
        self._cards[host] = json.dumps(card, ensure_ascii=False, indent=2).encode()

    def publish_page(self, host: str, path: str, value: Any) -> None:  # noqa: ANN401 — any JSON value
        """From now on this host has this page."""
        self._pages[(host, path)] = value

    def admit(self, host: str, client: str, secret: str, token: str) -> None:
        """From now on this host gives `token` to whoever names itself so, for an hour."""
        self._clients[(host, basic(client, secret))] = token

    def publish_extended(self, host: str, token: str, card: dict[str, Any]) -> None:
        """From now on whoever brings this token gets this extended card, fresh for two hours."""
        self._extended[(host, f"Bearer {token}")] = card

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.should_exit = True
        self._thread.join(5)
        self._socket.close()

    async def _card(self, request: Request) -> Response:
        host = _host(request)
        body = self._cards.get(host)
        if body is None:
            return self._noted(host, "GET card", JSONResponse({"error": "no agent here"}, 404))
        tag = f'W/"{hashlib.sha256(body).hexdigest()[:24]}"'
        headers = {"ETag": tag, "Cache-Control": "public, max-age=60"}
        if request.headers.get("if-none-match") == tag:
            return self._noted(host, "GET card", Response(status_code=304, headers=headers))
        return self._noted(host, "GET card", Response(body, media_type="application/json", headers=headers))

    async def _call(self, request: Request) -> Response:
        asked = await request.json()
        method, identifier = str(asked.get("method")), asked.get("id")
        host = _host(request)
        if method == "GetExtendedAgentCard":
            return self._extended_card(request, identifier)
        if method == "SendMessage":
            answer = JSONResponse({"jsonrpc": "2.0", "id": identifier, "result": {"message": _quote()}})
            return self._noted(host, method, answer)
        if method == "SendStreamingMessage" and self.really_streams.get(host, True):
            return self._noted(host, method, EventSourceResponse(_events(identifier)))
        name = "TaskNotFoundError" if method == "GetTask" else "UnsupportedOperationError"
        error = {"code": CODE_OF[name], "message": name}
        return self._noted(host, method, JSONResponse({"jsonrpc": "2.0", "id": identifier, "error": error}))

    async def _no_task(self, request: Request) -> Response:
        """The HTTP+JSON binding of an agent that keeps no task (A2A §11.6)."""
        info = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "TASK_NOT_FOUND", "domain": DOMAIN}
        error = {"code": 404, "status": "NOT_FOUND", "message": "no such task", "details": [info]}
        answer = JSONResponse({"error": error}, 404, media_type="application/a2a+json")
        return self._noted(_host(request), "GetTask", answer)

    async def _token(self, request: Request) -> Response:
        host = _host(request)
        token = self._clients.get((host, request.headers.get("authorization", "")))
        if token is None:
            return self._noted(host, "POST token", JSONResponse({"error": "invalid_client"}, 401))
        granted = {"access_token": token, "token_type": "Bearer", "expires_in": 3_600}
        return self._noted(host, "POST token", JSONResponse(granted))

    async def _hook(self, request: Request) -> Response:
        """Where owners are told."""
        self.hooks.append(await request.json())
        return self._noted(_host(request), "POST hook", JSONResponse({"ok": True}))

    async def _page(self, request: Request) -> Response:
        host = _host(request)
        value = self._pages.get((host, request.url.path))
        found = JSONResponse({"error": "nothing here"}, 404) if value is None else JSONResponse(value)
        return self._noted(host, f"GET {request.url.path}", found)

    def _extended_card(self, request: Request, identifier: object) -> Response:
        host, name = _host(request), "GetExtendedAgentCard"
        card = self._extended.get((host, request.headers.get("authorization", "")))
        if card is None:
            return self._noted(host, name, JSONResponse({"error": "who are you"}, 401))
        answer = {"jsonrpc": "2.0", "id": identifier, "result": card}
        return self._noted(host, name, JSONResponse(answer, headers={"Cache-Control": "private, max-age=7200"}))

    def _noted(self, host: str, what: str, answer: Response) -> Response:
        self.requests.append((host, what, answer.status_code))
        return answer


def _host(request: Request) -> str:
    return request.headers.get("host", "").partition(":")[0].lower()


def _quote() -> dict[str, Any]:
    part = {"data": {"total": "412.50", "currency": "EUR"}, "mediaType": "application/json"}
    return {"messageId": "quote-1", "role": "ROLE_AGENT", "parts": [part]}


async def _events(identifier: object) -> AsyncIterator[str]:
    yield json.dumps({"jsonrpc": "2.0", "id": identifier, "result": {"message": _quote()}})
