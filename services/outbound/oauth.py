"""OAuth 2.0 client credentials (RFC 6749 §4.4): oauthlib writes the request and reads the answer, the door carries both."""

import asyncio
import time
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote_plus

from oauthlib.oauth2 import BackendApplicationClient, OAuth2Error

from cardtrail.events.model.policy import EndpointPolicy
from cardtrail.services.outbound.address import STRICT, judge_url
from cardtrail.services.outbound.call import Answer, Attachment, Call, Limits, Refusal, Refused, Send
from cardtrail.services.outbound.secret import Secret, basic

_LEEWAY_S = 30
_DEFAULT_LIFETIME_S = 300
_LONGEST_LIFETIME_S = 86_400
_LIMITS = Limits(wire_bytes=64 * 1024, body_bytes=64 * 1024)
_OK = 200


@dataclass(slots=True)
class ClientCredentials:
    """A token for `hosts`, fetched from the operator's token URL; the client secret goes to that URL's host alone."""

    name: str
    hosts: tuple[str, ...]
    client_id: str
    secret: Secret
    token_url: str
    scopes: tuple[str, ...] = ()
    policy: EndpointPolicy = STRICT
    client_certificate: tuple[Path, Path] | None = None
    _token: str = field(default="", repr=False)
    _until: float = field(default=0.0, repr=False)
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock, repr=False)

    async def attach(self, send: Send) -> Attachment:
        """The bearer header with a token that is good for half a minute at least; many callers fetch one token.

        Raises:
            Refused: stage `authenticate`.
        """
        async with self._lock:
            if time.monotonic() >= self._until:
                await self._fetch(send)
        return Attachment({"Authorization": f"Bearer {self._token}"}, hidden=(self._token,))

    def rejected(self) -> None:
        """Forget the token."""
        self._token, self._until = "", 0.0

    async def _fetch(self, send: Send) -> None:
        client = BackendApplicationClient(client_id=self.client_id)
        identity = _ClientSecret(self.name, (judge_url(self.token_url, self.policy).host,), self.client_id, self.secret)
        answer = await send(
            Call(
                self.token_url,
                self.policy,
                "POST",
                {"Content-Type": "application/x-www-form-urlencoded"},
                client.prepare_request_body(scope=list(self.scopes) or None).encode(),
                identity,
                limits=_LIMITS,
            )
        )
        self._token, lifetime = _granted(client, answer)
        self._until = time.monotonic() + lifetime - _LEEWAY_S


@dataclass(frozen=True, slots=True)
class _ClientSecret:
    """The client's own authentication at the token endpoint (RFC 6749 §2.3.1)."""

    name: str
    hosts: tuple[str, ...]
    client_id: str
    secret: Secret
    client_certificate: tuple[Path, Path] | None = None

    async def attach(self, send: Send) -> Attachment:  # noqa: ARG002 — the protocol's signature
        return Attachment({"Authorization": basic(quote_plus(self.client_id), quote_plus(self.secret.reveal()))})

    def rejected(self) -> None:
        """Nothing was fetched."""


def _granted(client: BackendApplicationClient, answer: Answer | Refusal) -> tuple[str, float]:
    """Token and lifetime in seconds; only the error's registered code is quoted, never what was sent."""
    if isinstance(answer, Refusal):
        raise Refused("authenticate", "token-unreachable", f"{answer.stage}: {answer.reason}", answer.fault)
    try:
        granted = client.parse_request_body_response(answer.body.decode("utf-8"))
    except OAuth2Error as error:
        raise Refused("authenticate", "token-refused", f"{answer.status} {str(error.error)[:80]}", "ours") from None
    except (ValueError, TypeError, AttributeError, LookupError, ArithmeticError, RecursionError, Warning):
        raise Refused("authenticate", "token-refused", f"{answer.status}: no readable token answer") from None
    token, lifetime = granted.get("access_token"), granted.get("expires_in")
    if answer.status != _OK or not isinstance(token, str) or not token.isascii() or not token.isprintable():
        raise Refused("authenticate", "token-refused", f"{answer.status}: no usable token")
    if str(granted.get("token_type", "bearer")).lower() != "bearer":
        raise Refused("authenticate", "token-refused", "the token is no bearer token")
    return token, min(lifetime, _LONGEST_LIFETIME_S) if isinstance(lifetime, int | float) else _DEFAULT_LIFETIME_S
