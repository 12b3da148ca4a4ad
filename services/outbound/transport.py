"""The door for programs on httpx: a transport that sends each request through it. The a2a-sdk's client takes such a client.

    door = Door()
    client = httpx.AsyncClient(transport=DoorTransport(door, policy), trust_env=False)

Addresses are judged and pinned, bodies metered, redirects refused. Headers that carry a secret leave only for the hosts named
for them: an interface URL is a string from a card, and a token must not go wherever a card points (A2A 1.0.1 §13).
"""

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, cast

import httpx

from cardtrail.events.model.policy import EndpointPolicy
from cardtrail.services.outbound.address import STRICT
from cardtrail.services.outbound.call import Attachment, Call, Credential, Limits, Refusal, Send
from cardtrail.services.outbound.client import Door
from cardtrail.services.outbound.exchange import Exchange

CALLS = Limits(connect_s=5.0, read_s=60.0, total_s=600.0, wire_bytes=16 << 20, body_bytes=16 << 20)
"""What a call to an agent may cost, its stream included: ten minutes, a minute between two pieces, 16 MiB."""
SECRETS = ("authorization", "cookie", "proxy-authorization", "x-api-key", "api-key", "x-auth-token")
_SENT_BYTES = 16 << 20
_DOORS_OWN = frozenset(
    ("host", "connection", "content-length", "transfer-encoding", "accept-encoding", "te", "upgrade", "expect")
)
_DECODED = frozenset(("content-encoding", "content-length", "transfer-encoding"))
_METHODS = ("GET", "POST", "DELETE")
_TIMEOUTS = frozenset(("read-timeout", "write-timeout", "total-timeout"))


class DoorRefused(httpx.RequestError):
    """The door did not send, or cut the answer short; `refusal` says at which stage, why and whose fault."""

    refusal: Refusal


class DoorTimeout(DoorRefused, httpx.ReadTimeout):
    """The answer, or the rest of it, did not come in time."""


class DoorConnectTimeout(DoorRefused, httpx.ConnectTimeout):
    """No connection in time."""


class DoorConnectError(DoorRefused, httpx.ConnectError):
    """No connection: refused, or its certificate does not hold."""


@dataclass(frozen=True, slots=True)
class Carried:
    """The secrets that a program has put into its own request, bound to the hosts they are for."""

    hosts: tuple[str, ...]
    headers: Mapping[str, str] = field(repr=False)
    name: str = "the request's own credential"
    client_certificate: tuple[Path, Path] | None = None

    async def attach(self, send: Send) -> Attachment:  # noqa: ARG002 — the protocol's signature
        """The headers as they were."""
        return Attachment(self.headers)

    def rejected(self) -> None:
        """It is the program's, and so is what follows."""


class DoorTransport(httpx.AsyncBaseTransport):
    """Sends through `door`, which stays the caller's to close.

    `hosts` are those to which the secret headers of a request may go (exact, or `*.example`); `credential` is one of the
    door's own, attached where it may be. A request with both is refused.
    """

    def __init__(  # noqa: PLR0913 — the settings of one client
        self,
        door: Door,
        policy: EndpointPolicy = STRICT,
        *,
        hosts: tuple[str, ...] = (),
        credential: Credential | None = None,
        limits: Limits = CALLS,
        secrets: tuple[str, ...] = SECRETS,
    ) -> None:
        """`secrets` are names of headers, lower case."""
        self._door, self._policy, self._hosts = door, policy, hosts
        self._credential, self._limits, self._secrets = credential, limits, frozenset(secrets)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """One request; the answer's body is read as it comes.

        Raises:
            DoorRefused: a subclass of what httpx itself raises for such a failure, so that its callers need no new rule.
        """
        call = await self._call(request)
        held = AsyncExitStack()
        opened = await held.enter_async_context(self._door.open(call))
        if isinstance(opened, Refusal):
            await held.aclose()
            raise refused(opened, request)
        headers = [(name, value) for name, value in opened.headers.items() if name not in _DECODED]
        return httpx.Response(opened.status, headers=headers, stream=_Body(opened, held, request), request=request)

    async def _call(self, request: httpx.Request) -> Call:
        if request.method not in _METHODS:
            raise refused(Refusal("policy", "method", f"{request.method} is not sent to agents", "ours"), request)
        secret = {name.title(): value for name, value in request.headers.items() if name in self._secrets}
        if secret and self._credential is not None:
            twice = Refusal("authenticate", "credential-twice", "the request has one and the transport has one", "ours")
            raise refused(twice, request)
        plain = {
            name.title(): value
            for name, value in request.headers.items()
            if name not in self._secrets and name not in _DOORS_OWN
        }
        return Call(
            url=str(request.url),
            policy=self._policy,
            method=cast("Literal['GET', 'POST', 'DELETE']", request.method),
            headers=plain,
            body=await _sent(request),
            credential=Carried(self._hosts, secret) if secret else self._credential,
            accepts=(),
            limits=_within(self._limits, request.extensions.get("timeout")),
        )


class _Body(httpx.AsyncByteStream):
    """The decoded body in pieces; the connection is given back at its end."""

    def __init__(self, exchange: Exchange, held: AsyncExitStack, request: httpx.Request) -> None:
        self._exchange, self._held, self._request = exchange, held, request

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._exchange.chunks():
            yield chunk
        if self._exchange.refusal is not None:
            raise refused(self._exchange.refusal, self._request)

    async def aclose(self) -> None:
        await self._held.aclose()


def refused(refusal: Refusal, request: httpx.Request) -> DoorRefused:
    """The exception that stands for a refusal."""
    kind = DoorRefused
    if refusal.reason in _TIMEOUTS:
        kind = DoorTimeout
    elif refusal.reason == "connect-timeout":
        kind = DoorConnectTimeout
    elif refusal.stage in {"connect", "resolve"}:
        kind = DoorConnectError
    error = kind(f"{refusal.stage}: {refusal.reason} {refusal.detail}".strip(), request=request)
    error.refusal = refusal
    return error


async def _sent(request: httpx.Request) -> bytes:
    """The request's body, whether it is there or comes in pieces.

    Raises:
        DoorRefused: over 16 MiB.
    """
    body = bytearray()
    async for chunk in cast("httpx.AsyncByteStream", request.stream):
        body += chunk
        if len(body) > _SENT_BYTES:
            raise refused(Refusal("policy", "request-too-large", f"over {_SENT_BYTES} bytes", "ours"), request)
    return bytes(body)


def _within(limits: Limits, asked: object) -> Limits:
    """Our limits, or the request's own timeouts where those are shorter."""
    if not isinstance(asked, dict):
        return limits
    connect, read = asked.get("connect"), asked.get("read")
    return replace(
        limits,
        connect_s=min(limits.connect_s, connect) if connect is not None else limits.connect_s,
        read_s=min(limits.read_s, read) if read is not None else limits.read_s,
    )
