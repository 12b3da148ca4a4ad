"""One named consumer, pulled with standing requests: as quick as push, and it notices what nats-py's `fetch` hides.

`fetch` stalls after an empty answer, takes "consumer deleted" for a timeout and swallows "nobody there" (nats.py#933).
Here each request stands for 30 s with a heartbeat every second; a missing heartbeat, a deleted consumer, a lost connection
or a jump in the delivery count all end in `Interrupted`, and whoever reads starts again from its own position.
"""

import asyncio
import json
from collections import deque
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from time import monotonic
from typing import Any, NamedTuple

from nats.aio.msg import Msg

from cardtrail.services.bus.client import Arrived
from cardtrail.services.bus.connection import Connection, foreign
from cardtrail.services.bus.continuity import Continuity
from cardtrail.services.bus.names import STORED_NS

HEARTBEAT_S = 1.0
_MISSED = 3
_STANDS_S = 30.0
_BYTES = 16 << 20
_HEAVY = 8 << 20


class Interrupted(Exception):
    """The flow has ended and why; never leaves this room."""


class Delivered(NamedTuple):
    """A message of a stream: its sequence, the broker's time (ns), how many follow, which delivery of the consumer it is.

    A tuple, because a frozen dataclass takes five times as long to make, and a rebuild makes millions.
    """

    subject: str
    data: bytes
    headers: dict[str, str] | None
    reply: str
    sequence: int
    delivery: int
    stored_ns: int
    pending: int

    @property
    def stored_at(self) -> datetime:
        """The broker's time, to the microsecond."""
        return instant_of(self.stored_ns)


def instant_of(nanoseconds: int) -> datetime:
    """Nanoseconds since 1970 as an instant, to the microsecond."""
    return datetime.fromtimestamp(nanoseconds // 1_000 / 1_000_000, UTC)


def delivered(message: Msg | Arrived, *, imported: bool = False) -> Delivered:
    """Read the sequences out of the acknowledgement subject (`$JS.ACK.…`, with or without domain).

    `imported`: a header of the message says when it was stored first.
    """
    parts = message.reply.split(".")
    _, sequence, delivery, stored_ns, pending = parts[4:9] if len(parts) == 9 else parts[6:11]  # noqa: PLR2004 — ADR-15
    if imported and message.headers:
        stored_ns = message.headers.get(STORED_NS, stored_ns)
    return Delivered(
        message.subject, message.data, message.headers, message.reply,
        int(sequence), int(delivery), int(stored_ns), int(pending),
    )  # fmt: skip


Listen = Callable[[str, Callable[[Msg | Arrived], None]], Awaitable[Callable[[], Awaitable[None]]]]


class Pull:
    """The flow of one consumer on one stream. `window` messages (and 16 MiB) at most are under way or waiting here.

    `heard_at` is the monotonic time of the last message or heartbeat that somebody took, each sets `heard`.
    """

    def __init__(
        self, connection: Connection, listen: Listen, *, window: int, shared: bool = False, stands_s: float = _STANDS_S
    ) -> None:
        """`listen` subscribes (through FastStream or directly); `shared` = several pull it, so deliveries may jump."""
        self._connection, self._listen, self._window, self._shared = connection, listen, window, shared
        self._expires = int(stands_s * 1e9)
        self._queue: deque[Msg | Arrived | None] = deque()
        self._some = asyncio.Event()
        self._continuity = Continuity(0)
        self._asked = 0
        self.heard_at = 0.0
        self.heard = asyncio.Event()
        self._inbox = self._next = ""
        self._stop: Callable[[], Awaitable[None]] | None = None
        self._forget: Callable[[], None] | None = None

    async def begin(self, stream: str, consumer: str, after: int) -> None:
        """Pull from a consumer that was just set to start behind sequence `after`."""
        await self.end()
        self._queue, self._some, self._continuity, self._asked = deque(), asyncio.Event(), Continuity(after), 0
        arrive = self._arriving()
        self._inbox = self._connection.nc.new_inbox()
        self._next = f"{self._connection.api}.CONSUMER.MSG.NEXT.{stream}.{consumer}"
        self._forget = self._connection.on_back(lambda: arrive(None))
        self._stop = await self._listen(self._inbox, arrive)
        await self._ask()

    async def end(self) -> None:
        """Stop listening; what is under way is dropped and will come again."""
        if self._forget is not None:
            self._forget()
            self._forget = None
        if self._stop is not None:
            stop, self._stop = self._stop, None
            try:
                with foreign():
                    await stop()
            except Exception:  # noqa: BLE001, S110 — the connection is gone, and with it the subscription
                pass

    async def take(self, most: int, linger_s: float = 0.0) -> list[Delivered]:
        """At least one message, then what is already there, waiting up to `linger_s` seconds more for up to `most` or 8 MiB.

        Raises:
            Interrupted: begin again.
        """
        batch: list[Delivered] = []
        loop = asyncio.get_running_loop()
        deadline, weight = 0.0, 0
        while len(batch) < most and weight < _HEAVY:
            if not self._queue:
                await self._ask()
                if not await self._more(deadline - loop.time() if batch else HEARTBEAT_S * _MISSED):
                    if batch:
                        break
                    raise Interrupted("no heartbeat")
            if (found := self._read(self._queue.popleft())) is not None:
                deadline = deadline or loop.time() + linger_s
                batch.append(found)
                weight += len(found.data)
        self._hear()
        if not self._shared:  # what lies here cannot be done by another
            await self._ask()
        return batch

    def _arriving(self) -> Callable[[Msg | Arrived | None], None]:
        """What takes the messages of this beginning, and of no later one: None says that the connection was lost."""
        append, some = self._queue.append, self._some

        def arrive(message: Msg | Arrived | None) -> None:
            append(message)
            some.set()

        return arrive

    async def _more(self, wait_s: float) -> bool:
        """Whether something has come within so many seconds."""
        self._some.clear()
        if self._queue or wait_s <= 0:
            return bool(self._queue)
        try:
            async with asyncio.timeout(wait_s):
                await self._some.wait()
        except TimeoutError:
            return False
        self._hear()
        return True

    def _hear(self) -> None:
        self.heard_at = monotonic()
        self.heard.set()

    def _read(self, message: Msg | Arrived | None) -> Delivered | None:
        if message is None:
            raise Interrupted("connection lost")
        if message.headers and (status := message.headers.get("Status")) is not None:
            self._heed(status, message.headers)
            return None
        self._asked -= 1
        found = delivered(message, imported=self._connection.imported)
        if self._shared:
            return found
        admitted = self._continuity.admit(found.delivery, found.sequence)
        if admitted is None:
            raise Interrupted(f"delivery {found.delivery} after {self._continuity.delivered}")
        return found if admitted else None

    def _heed(self, status: str, headers: dict[str, str]) -> None:
        if status == "100":
            if not self._shared and not self._continuity.agrees(int(headers.get("Nats-Last-Consumer", 0))):
                raise Interrupted("messages lost on the way, or somebody moved the consumer")
        elif "Nats-Pending-Messages" in headers:
            self._asked -= int(
                headers["Nats-Pending-Messages"]
            )  # this request is over: expired, complete or big enough
        else:
            raise Interrupted(f"{status} {headers.get('Description', '').strip()}")

    async def _ask(self) -> None:
        room = self._window - self._asked - len(self._queue)
        if self._asked > self._window // 2 or room <= 0:
            return
        request: dict[str, Any] = {"batch": room, "max_bytes": _BYTES, "expires": self._expires}
        request["idle_heartbeat"] = int(HEARTBEAT_S * 1e9)
        try:
            with foreign():
                await self._connection.nc.publish(self._next, json.dumps(request).encode(), reply=self._inbox)
        except Exception as error:
            raise Interrupted(f"cannot ask: {error}") from error
        self._asked += room
