"""What every request passes: the Host check, the token, and the headers that every answer carries."""

from urllib.parse import quote

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from cardtrail.services.web.guard import HEADERS, admitted, held, host_allowed, same_origin

_OPEN = ("/login", "/static/")
_WRITES = frozenset(("POST", "PUT", "PATCH", "DELETE"))


class Gate:
    """ASGI middleware; `token` "" admits everybody, `names` are Host names beyond localhost and addresses."""

    def __init__(self, app: ASGIApp, token: str, names: frozenset[str]) -> None:
        """Around the whole application."""
        self._app, self._token, self._names = app, token, names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer at once what may not pass."""
        if scope["type"] != "http":
            return
        headers = Headers(scope=scope)

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                answered = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    answered[name] = value
                answered.setdefault("Cache-Control", "no-store")
            await send(message)

        refused = self._refused(scope, headers)
        await (refused or self._app)(scope, receive, with_headers)

    def _refused(self, scope: Scope, headers: Headers) -> Response | None:
        if not host_allowed(headers.get("host", ""), self._names):
            return PlainTextResponse("this name is not ours: add it to web.names in the settings\n", 421)
        if scope["method"] in _WRITES and not same_origin(headers):
            return PlainTextResponse("writes come from our own pages only\n", 403)
        if scope["path"].startswith(_OPEN):
            return None
        if admitted(self._token, headers.get("authorization", ""), held(headers.get("cookie", ""))):
            return None
        if "text/html" in headers.get("accept", "") and scope["method"] == "GET":
            query = scope["query_string"].decode("latin-1")
            back = quote(scope["path"] + (f"?{query}" if query else ""))
            return RedirectResponse(f"/login?back={back}", 303)
        return PlainTextResponse("a token is needed\n", 401, headers={"WWW-Authenticate": "Bearer"})
