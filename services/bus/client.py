"""nats-py's client with a short way for what is read in bulk: from the socket to the reader without a task or a queue between.

Two thirds of what nats-py does for a message are for callbacks one by one and for headers that a reader never looks at.
"""

from collections.abc import Callable, Coroutine
from typing import Any, NamedTuple

from nats.aio.client import Client
from nats.aio.subscription import Subscription

_STATUS_AT = len(b"NATS/1.0")


class Arrived(NamedTuple):
    """A message as far as a reader needs it; `headers` are read where they say a status, or where all are wanted."""

    subject: str
    reply: str
    data: bytes
    headers: dict[str, str] | None


Take = Callable[[Arrived], None]
_Parsed = Callable[[bytes, bytes, bytes, bytes | None], Coroutine[Any, Any, None]]


class BulkClient(Client):
    """The client of every connection; what takes no short way goes nats-py's own."""

    def __init__(self) -> None:
        """Not connected yet."""
        super().__init__()
        self._short: dict[int, _Parsed] = {}

    def shorten(
        self, subscription: Subscription, take: Take, *, wants_headers: Callable[[], bool]
    ) -> Callable[[], object]:
        """Hand messages to `take` as they are parsed, from before the first can have come; the answer ends that."""

        async def parsed(subject: bytes, reply: bytes, data: bytes, headers: bytes | None) -> None:
            wanted = headers and (headers[_STATUS_AT : _STATUS_AT + 1] == b" " or wants_headers())
            read = await self._process_headers(headers) if wanted else None
            take(Arrived(subject.decode(), reply.decode(), data, read))

        number = subscription._id  # noqa: SLF001 — the one name that it has on the wire
        self._short[number] = parsed
        return lambda: self._short.pop(number, None)

    def _process_msg(
        self, sid: int, subject: bytes, reply: bytes, data: bytes, headers: bytes | None
    ) -> Coroutine[Any, Any, None]:
        short = self._short.get(sid)
        if short is None:
            return super()._process_msg(sid, subject, reply, data, headers)  # type: ignore[arg-type]  # None is meant
        return short(subject, reply, data, headers)
