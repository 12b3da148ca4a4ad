"""One request through the door and what came back, as probes judge it: whole answers strictly read, streams event by event.

A stream is read until it ends, a task in it ends, or the limits of the settings are reached; never longer.
"""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, aclosing
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, cast

from cardtrail.events.fact import dump
from cardtrail.events.model.policy import EndpointPolicy
from cardtrail.events.model.profile import Interface
from cardtrail.services.outbound.call import Call, Credential, Limits, Refusal
from cardtrail.services.outbound.exchange import Exchange
from cardtrail.services.outbound.http_time import retry_after_s
from cardtrail.services.outbound.stream import MEDIA_TYPE, Events
from cardtrail.services.prober.probe import Attempt, Seen
from cardtrail.services.settings import ProbeSettings
from cardtrail.services.wire.answer import WireAnswer, read_bytes
from cardtrail.services.wire.errors import A2AError
from cardtrail.services.wire.event import StreamEvent, read_event
from cardtrail.services.wire.request import id_of

Open = Callable[[Call], AbstractAsyncContextManager[Exchange | Refusal]]
_SPREAD_S = 1.0
"""Events that are this far apart by the agent's own clock, and arrive together, were held back."""
_TOGETHER_MS, _LATE = 200, 0.8
_BURST = 8
_OK = range(200, 300)
MISMATCHED = "answer-mismatched"
"""The answer to another request: something on the way gives it to the wrong one."""


@dataclass(frozen=True, slots=True)
class Asker:
    """Sends attempts; `open` is the door's."""

    open: Open
    settings: ProbeSettings
    clock: Callable[[], datetime]

    async def ask(
        self, attempt: Attempt, interface: Interface, policy: EndpointPolicy, credential: Credential | None
    ) -> Seen:
        """What came back; raises nothing."""
        async with self.open(self._call(attempt, policy, credential)) as opened:
            if isinstance(opened, Refusal):
                return Seen(fault=opened.reason, latency_ms=opened.latency_ms)
            asked = id_of(attempt.request)
            if opened.media_type == MEDIA_TYPE and opened.status in _OK:
                return await self._stream(opened, asked)
            return await self._whole(opened, interface.binding, asked)

    def _call(self, attempt: Attempt, policy: EndpointPolicy, credential: Credential | None) -> Call:
        total, size = self.settings.total_s, _BURST * self.settings.event_bytes
        limits = Limits(read_s=total, total_s=total, wire_bytes=size, body_bytes=size)
        request = attempt.request
        return Call(
            request.url,
            policy,
            method=cast("Literal['GET', 'POST']", request.method),
            headers=request.headers,
            body=request.body,
            credential=None if attempt.anonymous else credential,
            accepts=(),
            limits=limits,
        )

    async def _whole(self, opened: Exchange, binding: str, asked: str) -> Seen:
        body = b"".join([chunk async for chunk in opened.chunks()])
        if opened.refusal is not None:
            return Seen(fault=opened.refusal.reason, latency_ms=opened.latency_ms)
        wait = retry_after_s(opened.headers, self.clock())
        answer = read_bytes(binding, opened.status, opened.media_type, body, retry_after_s=wait)
        if asked and answer.id not in (None, asked):
            return Seen(fault=MISMATCHED, latency_ms=opened.latency_ms)
        left = _last_of(answer)
        task = "" if left is None or left.ended else left.task
        return Seen(answer=answer, task=task, latency_ms=opened.latency_ms)

    async def _stream(self, opened: Exchange, asked: str) -> Seen:
        events, arrived, strange = Events(opened, self.settings.event_bytes), list[tuple[StreamEvent, int]](), ""
        read = 0
        async with aclosing(events.__aiter__()) as coming:
            async for sent in coming:
                read += 1
                event = read_event(sent.data)
                if asked and not arrived and event.id not in (None, asked):
                    return Seen(fault=MISMATCHED, latency_ms=opened.latency_ms)
                if event.kind == "error" and not arrived:
                    return Seen(answer=_answer(opened, event.error), latency_ms=opened.latency_ms)
                if event.kind == "error":
                    break  # what was streamed before it stands
                if event.kind == "not-a2a":
                    strange = strange or event.detail
                else:
                    arrived.append((event, opened.latency_ms))
                if event.ended or read >= self.settings.events:
                    break
        cut = "" if arrived or strange else events.cut  # what did come says enough, however the stream was cut short
        return _received(_answer(opened), arrived, strange, cut, opened.latency_ms)


def _last_of(answer: WireAnswer) -> StreamEvent | None:
    """A whole answer's task or message, read as if it had been streamed; None where it holds neither."""
    if answer.kind != "result":
        return None
    event = read_event(dump(answer.result).decode())
    return event if event.kind in {"task", "message"} else None


def _answer(opened: Exchange, error: A2AError | None = None) -> WireAnswer:
    kind: Literal["error", "stream"] = "stream" if error is None else "error"
    return WireAnswer(kind=kind, status=opened.status, error=error, media_type=opened.media_type)


def _received(
    answer: WireAnswer, arrived: list[tuple[StreamEvent, int]], strange: str, fault: str, latency_ms: int
) -> Seen:
    last = arrived[-1][0] if arrived else None
    return Seen(
        answer=answer,
        events=len(arrived),
        strange=strange,
        buffered_s=_buffered_s(arrived),
        task="" if last is None or last.ended else next((event.task for event, _ in arrived if event.task), ""),
        fault=fault,
        latency_ms=arrived[0][1] if arrived else latency_ms,
    )


def _buffered_s(arrived: list[tuple[StreamEvent, int]]) -> float:
    """How far apart the agent says that events were which arrived together; 0 where they came as they were made.

    They were made after we asked: so the first of them was also late, or the agent's clock tells of another call.
    """
    dated = [(event.at, at_ms) for event, at_ms in arrived if event.at is not None]
    if not dated:
        return 0.0
    made = [at for at, _ in dated]
    spread = (max(made) - min(made)).total_seconds()
    first, last = dated[0][1], dated[-1][1]
    held_back = last - first <= _TOGETHER_MS and first >= _LATE * spread * 1000
    return spread if held_back and spread >= _SPREAD_S else 0.0
