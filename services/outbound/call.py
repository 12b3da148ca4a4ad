"""What goes through the door and what comes back: values only, no I/O. An expected refusal is a value like an answer."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

from cardtrail.events.card_refused import Stage
from cardtrail.events.model.policy import EndpointPolicy
from cardtrail.services.outbound.address import STRICT

Fault = Literal["provider", "network", "ours"]
JSON = ("application/json", "application/*+json")
"""The media types a card may have: A2A names none, servers send these (A2A 1.0.1 §8.2, §14.1)."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one call may cost: seconds, bytes of header, bytes on the wire, bytes after decompression, hops."""

    connect_s: float = 5.0
    read_s: float = 10.0
    total_s: float = 20.0
    header_bytes: int = 32 * 1024
    wire_bytes: int = 512 * 1024
    body_bytes: int = 512 * 1024
    redirects: int = 0


@dataclass(frozen=True, slots=True)
class Attachment:
    """What a credential adds to one request; never printed, never stored. `hidden`: the secret in every form it is sent in."""

    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    query: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    hidden: tuple[str, ...] = field(default=(), repr=False)


class Credential(Protocol):
    """A way to be let in, bound to the `hosts` it was issued for; `client_certificate` is (certificate, key) in PEM."""

    @property
    def name(self) -> str:
        """The operator's name for it: what may be logged."""

    @property
    def hosts(self) -> tuple[str, ...]:
        """Exact hosts, or `*.example` for what lies below."""

    @property
    def client_certificate(self) -> tuple[Path, Path] | None:
        """For mutual TLS, else None."""

    async def attach(self, send: "Send") -> Attachment:
        """What to add; may fetch a token with `send`.

        Raises:
            Refused: stage `authenticate`.
        """

    def rejected(self) -> None:
        """A server has answered 401 to it: forget what was fetched."""


@dataclass(frozen=True, slots=True)
class Call:
    """One request. `accepts` holds media types for a 2xx answer (`type/*+json` as a pattern; empty = any).

    Redirects (`limits.redirects` > 0) stay on the origin. `headers` may not name what the door or a credential sets.
    """

    url: str
    policy: EndpointPolicy = STRICT
    method: Literal["GET", "POST", "DELETE"] = "GET"
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    credential: Credential | None = None
    accepts: tuple[str, ...] = JSON
    limits: Limits | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """A complete answer of any status. `url` is where it was had, without any credential; header names are lower case.

    `body` is decoded, empty where the media type was not asked for (then only with a status outside 2xx); `address` is the
    one connected to, "" through a proxy; latency in milliseconds, `wire_bytes` before decompression.
    """

    status: int
    url: str
    headers: Mapping[str, str]
    body: bytes
    media_type: str = ""
    address: str = ""
    latency_ms: int = 0
    wire_bytes: int = 0
    hops: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Refusal:
    """No answer that may be used: the stage where it ended, a kebab-case reason, whose fault; the target as given."""

    stage: Stage
    reason: str
    detail: str = ""
    fault: Fault = "provider"
    target: str = ""
    address: str = ""
    status: int = 0
    latency_ms: int = 0


Send = Callable[[Call], Awaitable[Answer | Refusal]]


class Refused(Exception):
    """Unwinds to the door; never leaves it."""

    def __init__(self, stage: Stage, reason: str, detail: str = "", fault: Fault = "provider") -> None:
        """Keep the value to hand out."""
        super().__init__(f"{stage}: {reason} {detail}")
        self.refusal = Refusal(stage, reason, detail, fault)
