"""Where measuring looks in on the bus: FastStream's own middlewares around what is handled here and what is told.

Readers take whole batches past FastStream's subscribers (see `readers`), and publishing is pipelined past its publishers,
so the middlewares are driven at these two seams instead of hanging on the broker: a batch is one of FastStream's batches.
What is measured is named by its reader, never by a subject: there are as many subjects as agents. Without middlewares
(planners, the command line) nothing happens.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from faststream import ContextRepo
from faststream.message import StreamMessage
from faststream.nats.response import NatsPublishCommand
from faststream.response.publish_type import PublishType

if TYPE_CHECKING:
    from cardtrail.services.bus.publish import Message
    from cardtrail.services.bus.pull import Delivered

T = TypeVar("T")
Middleware = Any
"""A FastStream `BrokerMiddleware`: called with a raw message and a context it gives the scopes for that message."""


class Tracing(Protocol):
    """Traces, where they are wanted."""

    middleware: Middleware

    def current(self) -> bool:
        """Whether what happens now belongs to a trace that is recorded."""
        ...

    def carried(self) -> dict[str, str]:
        """The headers that hand the trace of now on (W3C trace context), {} outside of one."""
        ...


class Handled(StreamMessage[Sequence["Delivered"]]):
    """One message or a batch as the middlewares see it; `handler` names it."""

    def __init__(self, handler: str, messages: Sequence["Delivered"]) -> None:
        """Headers are those of a single message, or stand beside each other."""
        headers = [dict(one.headers or {}) for one in messages]
        alone = headers[0] if len(headers) == 1 else {}
        super().__init__(
            messages,
            messages[0].data,
            headers=alone,
            batch_headers=headers if len(headers) > 1 else [],
            correlation_id=alone.get("Nats-Msg-Id", handler),
        )
        self.handler = handler

    @property
    def size(self) -> int:
        """Bytes of all payloads."""
        return sum(len(one.data) for one in self.raw_message)


class Told(NatsPublishCommand):
    """Messages that are told at once, as the middlewares see them."""

    def __init__(self, messages: Sequence["Message"]) -> None:
        """Named by the first two tokens of the first subject."""
        place = ".".join(messages[0].subject.split(".")[:2])
        super().__init__(messages[0].data, subject=place, correlation_id=place, _publish_type=PublishType.PUBLISH)
        self._bodies = tuple(one.data for one in messages)

    @property
    def batch_bodies(self) -> tuple[bytes, ...]:
        """All payloads."""
        return self._bodies


class Seams:
    """The seams of one connection."""

    def __init__(self, metrics: Middleware | None = None, tracing: Tracing | None = None) -> None:
        """Either may be absent."""
        self._metrics, self.tracing, self._context = metrics, tracing, ContextRepo()

    async def batch(self, handler: str, messages: Sequence["Delivered"], work: Callable[[], Awaitable[T]]) -> T:
        """Do the work on a batch of facts; counted and timed as one."""
        if self._metrics is None:
            return await work()
        return await self._handled(self._metrics, Handled(handler, messages), work)

    async def job(self, handler: str, messages: Sequence["Delivered"], work: Callable[[], Awaitable[T]]) -> T:
        """Do the work that messages from outside the log ask for: what is told meanwhile begins a trace."""
        tracing = self.tracing
        if tracing is None:
            return await self.batch(handler, messages, work)
        handled = Handled(handler, messages)
        return await self.batch(handler, messages, lambda: self._handled(tracing.middleware, handled, work))

    async def fact(self, handler: str, message: "Delivered", apply: Callable[[], T]) -> T:
        """Apply a fact within the trace that it carries; what is made of it meanwhile goes on with that trace."""

        async def work() -> T:
            return apply()

        if self.tracing is None or "traceparent" not in (message.headers or {}):
            return apply()
        handled = Handled(f"{handler} {kind(message.subject)}", [message])
        return await self._handled(self.tracing.middleware, handled, work)

    async def tell(self, messages: Sequence["Message"], send: Callable[[], Awaitable[T]]) -> T:
        """Send messages; within a trace this is a span of its own."""
        if self._metrics is None or not messages:
            return await send()
        told = Told(messages)
        scope = self._metrics(None, context=self._context)
        if self.tracing is None or not self.tracing.current():
            return await _published(scope, told, lambda _: send())  # type: ignore[no-any-return]  # what send gives
        span = self.tracing.middleware(None, context=self._context)
        return await _published(scope, told, lambda one: _published(span, one, lambda _: send()))  # type: ignore[no-any-return]

    def carried(self) -> dict[str, str]:
        """The headers that a message made now has to carry."""
        return self.tracing.carried() if self.tracing is not None else {}

    async def _handled(self, middleware: Middleware, handled: Handled, work: Callable[[], Awaitable[T]]) -> T:
        async with middleware(handled.raw_message, context=self._context) as scope:
            found: T = await scope.consume_scope(lambda _: work(), handled)
        return found


async def _published(scope: Any, told: Told, go_on: Callable[[Told], Awaitable[Any]]) -> Any:  # noqa: ANN401 — FastStream's own types
    async with scope:
        return await scope.publish_scope(go_on, told)


def kind(subject: str) -> str:
    """The kind of the fact under a subject of the log; `unknown` under one that no event has."""
    match subject.split("."):
        case [_, "events", _, _, _, named, *_] | [_, "ledger", named]:
            return named
        case [_, "decisions", *_]:
            return "change-decided"
        case _:
            return "unknown"
