"""Server-sent events from an open answer (WHATWG HTML §9.2): each with its size, number and time bounded.

The parser is httpx-sse's; what it may be fed is decided here, so that an event without end cannot fill the memory.
"""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Protocol

import httpx
from httpx_sse import EventSource, ServerSentEvent

from cardtrail.services.outbound.call import Refusal, Refused

MEDIA_TYPE = "text/event-stream"
_HEADERS = {"content-type": f"{MEDIA_TYPE}; charset=utf-8-sig"}
"""Streams are UTF-8 whatever they say, and a byte order mark is no part of the first line."""


class Opened(Protocol):
    """An answer whose body comes in pieces; `refusal` is set where it was cut short."""

    refusal: Refusal | None

    def chunks(self) -> AsyncIterator[bytes]:
        """The decoded body."""


class Events:
    """The events of one answer. `cut` says why reading ended early: the door's reason, or `event-too-large`; "" at its end."""

    def __init__(self, opened: Opened, event_bytes: int) -> None:
        """Take at most `event_bytes` bytes between two events, comments included."""
        self._opened, self._room = opened, event_bytes
        self._since = 0
        self.cut = ""

    async def __aiter__(self) -> AsyncGenerator[ServerSentEvent, None]:
        """Each event that carries data; comments, ids and retries alone are none."""
        source = EventSource(httpx.Response(200, headers=_HEADERS, stream=_Body(self._bounded())))
        try:
            async with aclosing(source.aiter_sse()) as events:
                async for event in events:
                    self._since = 0
                    if event.data:
                        yield event
        except Refused as refused:
            self.cut = refused.refusal.reason
        if not self.cut and self._opened.refusal is not None:
            self.cut = self._opened.refusal.reason

    async def _bounded(self) -> AsyncIterator[bytes]:
        async for chunk in self._opened.chunks():
            self._since += len(chunk)
            if self._since > self._room:
                raise Refused("fetch", "event-too-large", f"over {self._room} bytes in one event")
            yield chunk


class _Body(httpx.AsyncByteStream):
    def __init__(self, chunks: AsyncIterator[bytes]) -> None:
        self._chunks = chunks

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._chunks:
            yield chunk
