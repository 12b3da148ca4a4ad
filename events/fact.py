"""The envelope around every event: CloudEvents 1.0 structured JSON, one encoder, one decoder, deterministic ids.

What is about one agent carries the agent in `subject` and the principal in the extension attribute `principal` (absent =
`public`); `data` holds the rest, without members at their default: a default is part of an event's version.
"""

import hashlib
import json
from datetime import UTC, datetime
from typing import Any, ClassVar
from uuid import UUID

from pydantic import AwareDatetime, Field
from pydantic_core import to_jsonable_python

from cardtrail.events.model.value import Value

TYPE_PREFIX = "dev.cardtrail."
PUBLIC = "public"
_UUIDV7 = 7
_TWO = tuple(f"{number:02}" for number in range(60))
_THREE = tuple(f"{number:03}" for number in range(1000))
"""Digits looked up: `isoformat` takes three times as long, and most of what a fold writes is instants."""
_COMPACT = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


class Event(Value):
    """Base of every payload: `kind` is the kebab-case name, `version` the shape's number."""

    kind: ClassVar[str]
    version: ClassVar[int] = 1

    @classmethod
    def type_name(cls) -> str:
        """The CloudEvents `type`, for example `dev.cardtrail.card-fetched.v1`."""
        return f"{TYPE_PREFIX}{cls.kind}.v{cls.version}"


class AgentEvent(Event):
    """An event about one agent, as one principal sees it."""

    agent: str
    principal: str = PUBLIC


class Fact(Value):
    """An event that happened: who told it (`source`), when it was observed (`time`), what caused it."""

    id: UUID
    source: str
    time: AwareDatetime
    correlation: UUID | None = None
    causation: UUID | None = None
    data: Event


class Stored(Value):
    """A fact as the log keeps it: stream sequence, the broker's time, the bytes as they lie there (b"" where never told)."""

    sequence: int
    stored_at: AwareDatetime
    fact: Fact
    raw: bytes = Field(default=b"", repr=False)


def encode(fact: Fact) -> bytes:
    """The fact as compact CloudEvents JSON in UTF-8, members in fixed order; the sole encoder."""
    event = fact.data
    envelope: dict[str, Any] = {
        "specversion": "1.0",
        "id": str(fact.id),
        "source": fact.source,
        "type": event.type_name(),
        "time": instant(fact.time),
    }
    if isinstance(event, AgentEvent):
        envelope["subject"] = event.agent
        if event.principal != PUBLIC:
            envelope["principal"] = event.principal
    for name, value in (("correlationid", fact.correlation), ("causationid", fact.causation)):
        if value is not None:
            envelope[name] = str(value)
    outside = {"agent", "principal"} if isinstance(event, AgentEvent) else set()
    envelope["data"] = event.model_dump(mode="json", exclude_defaults=True, exclude=outside)
    return dump(envelope)


def dump(value: object) -> bytes:
    """Compact UTF-8 JSON; refuses NaN and infinities."""
    plain = to_jsonable_python(value)
    return _COMPACT.encode(plain).encode()


def derived_id(cause: UUID, deriver: str, version: str, key: str) -> UUID:
    """The id of a derived fact: the same cause, deriver, version and key give the same UUID (version 8, RFC 9562)."""
    digest = bytearray(hashlib.sha256("\0".join((str(cause), deriver, version, key)).encode()).digest()[:16])
    digest[6] = (digest[6] & 0x0F) | 0x80
    digest[8] = (digest[8] & 0x3F) | 0x80
    return UUID(bytes=bytes(digest))


def observation_id(now_ms: int, randomness: bytes) -> UUID:
    """A UUIDv7 (RFC 9562) from Unix milliseconds and 10 random bytes: unique to one observation, ordered by time."""
    raw = bytearray(now_ms.to_bytes(6, "big") + randomness[:10])
    raw[6] = (raw[6] & 0x0F) | 0x70
    raw[8] = (raw[8] & 0x3F) | 0x80
    return UUID(bytes=bytes(raw))


def told_ms(identifier: UUID) -> int:
    """The Unix milliseconds of a UUIDv7, 0 of any other id."""
    return identifier.int >> 80 if identifier.version == _UUIDV7 else 0


def instant(at: datetime) -> str:
    """RFC 3339 in UTC with `Z`, milliseconds where they say it all: the one spelling of an instant in facts and rows."""
    at = at.astimezone(UTC)
    thousandths, millionths = divmod(at.microsecond, 1000)
    day = f"{at.year:04}-{_TWO[at.month]}-{_TWO[at.day]}"
    fraction = f"{_THREE[thousandths]}{_THREE[millionths]}" if millionths else _THREE[thousandths]
    return f"{day}T{_TWO[at.hour]}:{_TWO[at.minute]}:{_TWO[at.second]}.{fraction}Z"
