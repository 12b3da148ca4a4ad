"""One connection to the broker: FastStream's NatsBroker above, nats-py's client below, and what we expect of both.

It reconnects for ever, buffers nothing for a broker that is away (the outbox does that, on disk), tells its listeners at
once when it is back, and turns every foreign exception into one of ours.
"""

import asyncio
import contextlib
import json
import logging
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, Self, cast

import nats.errors
import nats.js.errors
from faststream import AckPolicy
from faststream.exceptions import IncorrectState
from faststream.nats.message import NatsMessage
from faststream.security import BaseSecurity
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.js import JetStreamContext

from cardtrail.services.bus.acks import Acks
from cardtrail.services.bus.client import Arrived, Broker, BulkClient
from cardtrail.services.bus.errors import UNSTORED, UNWRITTEN, BrokerRefused, BrokerUnreachable, TooLarge
from cardtrail.services.bus.seams import Seams

log = logging.getLogger("cardtrail.bus")
REQUEST_S = 5.0
AWAY = (
    IncorrectState,
    nats.errors.ConnectionClosedError,
    nats.errors.ConnectionReconnectingError,
    nats.errors.ConnectionDrainingError,
    nats.errors.NoRespondersError,
    nats.errors.NoServersError,
    nats.errors.OutboundBufferLimitError,
    nats.js.errors.ServiceUnavailableError,
    nats.js.errors.NoStreamResponseError,
    OSError,  # nats-py's and asyncio's TimeoutError are some
)


@contextlib.contextmanager
def foreign() -> Iterator[None]:
    """Turn nats-py's exceptions into ours: away (try again) or refused (do not)."""
    try:
        yield
    except AWAY as error:
        said = str(error).removeprefix("nats: ") or "nothing came in time"
        raise BrokerUnreachable("broker-unreachable", f"the broker does not answer: {said}") from error
    except nats.errors.MaxPayloadError as error:
        raise TooLarge("too-large", "the broker takes no message of this size") from error
    except nats.errors.Error as error:
        if getattr(error, "err_code", 0) in UNWRITTEN:
            said = f"the broker could not write: {getattr(error, 'description', error)}"
            raise BrokerUnreachable("broker-unreachable", said, hint=UNSTORED) from error
        raise BrokerRefused("broker-refused", str(error)) from error


async def _parse(message: Msg) -> NatsMessage:
    return NatsMessage(raw_message=message, body=message.data, headers={}, content_type=None)


async def _raw(message: NatsMessage) -> Msg:
    return message.raw_message


class Connection:
    """An async context manager; `name` is shown by the broker, `inbox` is the prefix under which answers arrive."""

    def __init__(
        self, url: str, *, name: str, inbox: str = "_INBOX", security: BaseSecurity | None = None, domain: str = ""
    ) -> None:
        """`url`: several, comma-separated, also with user and password; `domain`: JetStream's, where it is another account's."""
        self.api = f"$JS.{domain}.API" if domain else "$JS.API"
        self.seams, self.acks = Seams(), Acks()
        self.connected, self.closed = asyncio.Event(), asyncio.Event()
        self.imported, self._opening = False, True
        self._listeners: set[Callable[[], None]] = set()
        self.broker = Broker(
            [part.strip() for part in url.split(",")],
            name=name,
            inbox_prefix=inbox,
            security=security,
            js_options={"prefix": self.api},
            allow_reconnect=True,
            max_reconnect_attempts=-1,
            pending_size=0,
            reconnect_time_wait=0.2,  # type: ignore[arg-type]  # annotated int, used as seconds for sleep
            connect_timeout=2,
            ping_interval=5,
            max_outstanding_pings=2,
            drain_timeout=5,
            error_cb=self._on_error,
            disconnected_cb=self._on_lost,
            reconnected_cb=self._on_back,
            closed_cb=self._on_closed,
            apply_types=False,
            logger=None,
            graceful_timeout=1.0,
        )

    @property
    def nc(self) -> Client:
        """The nats-py client below."""
        return self.broker.connection

    @property
    def js(self) -> JetStreamContext:
        """The JetStream context below."""
        return self.broker.config.broker_config.connection_state.stream

    async def open(self, *, within_s: float = 5.0) -> Self:
        """Connect.

        Raises:
            BrokerUnreachable: not within `within_s` seconds.
            BrokerRefused: the broker knows us not.
        """
        with foreign():
            await asyncio.wait_for(self.broker.start(), within_s)
        self._opening = False
        self.connected.set()
        return self

    async def close(self) -> None:
        """Disconnect; what was sent is flushed first."""
        self.connected.clear()
        try:
            await self.broker.stop()
        except* (*AWAY, nats.errors.Error):  # one by itself, or each of several subscribers its own
            log.debug("the broker was gone before it could be told")

    async def __aenter__(self) -> Self:
        return await self.open()

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def ask(
        self, subject: str, question: dict[str, Any] | None = None, *, within_s: float = REQUEST_S
    ) -> dict[str, Any]:
        """One request to the JetStream API, the answer as JSON.

        Raises:
            BrokerUnreachable, BrokerRefused: see there; the latter's code is `broker-refused`, its message the broker's.
        """
        body = json.dumps(question).encode() if question else b""
        with foreign():
            answer = json.loads((await self.nc.request(f"{self.api}.{subject}", body, timeout=within_s)).data)
            if "error" in answer:
                raise nats.js.errors.APIError.from_error(answer["error"])
        return dict(answer)

    def on_back(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call `listener` after every reconnect and every loss; the answer takes it off again."""
        self._listeners.add(listener)
        return lambda: self._listeners.discard(listener)

    async def listen(self, inbox: str, take: Callable[[Msg], None]) -> Callable[[], Awaitable[None]]:
        """Hand every raw message on `inbox` to `take`, in order, through a FastStream subscriber; the answer ends it."""
        subscriber = self.broker.subscriber(
            inbox, parser=_parse, decoder=_raw, ack_policy=AckPolicy.MANUAL, no_reply=True, persistent=False
        )  # persistent, the broker would keep every one there ever was

        async def handle(message: Msg) -> None:
            take(message)

        subscriber(handle)
        with foreign():
            await subscriber.start()
        return subscriber.stop

    async def listen_directly(self, inbox: str, take: Callable[[Msg], None]) -> Callable[[], Awaitable[None]]:
        """The same on nats-py, without what FastStream does for each (27 µs), for watches."""

        async def handle(message: Msg) -> None:
            take(message)

        with foreign():
            subscription = await self.nc.subscribe(inbox, cb=handle)
        return subscription.unsubscribe

    async def listen_in_bulk(self, inbox: str, take: Callable[[Arrived], None]) -> Callable[[], Awaitable[None]]:
        """The same by the short way: with half of the work, for those who read the log from end to end."""

        async def handle(message: Msg) -> None:
            take(Arrived(message.subject, message.reply, message.data, message.headers))

        client = cast("BulkClient", self.nc)
        with foreign():
            subscription = await client.subscribe(inbox, cb=handle)
        forget = client.shorten(subscription, take, wants_headers=lambda: self.imported)

        async def end() -> None:
            forget()
            await subscription.unsubscribe()

        return end

    async def _on_error(self, error: Exception) -> None:
        level = logging.WARNING if "permissions violation" in str(error).lower() else logging.DEBUG
        log.log(level, "broker: %r", error)
        if self._opening and isinstance(error, nats.errors.Error) and "authorization" in str(error).lower():
            raise error  # a wrong password at the first attempt is an answer; later it may be a rotation

    async def _on_lost(self) -> None:
        self.connected.clear()
        self.acks.lost()
        self._tell()

    async def _on_back(self) -> None:
        self.connected.set()
        self._tell()

    async def _on_closed(self) -> None:
        self.closed.set()
        self._tell()

    def _tell(self) -> None:
        for listener in tuple(self._listeners):
            listener()
