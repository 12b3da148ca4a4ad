"""A work queue taken by one process, whole and in order: batches in, each done at once.

The consumer is made anew at each start, so nothing lies in the hands of a process that has died. Only one process may do
that: whoever uses this has a place that no other has, and is asked for it each time.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable

import nats.js.errors
from nats.js.api import AckPolicy, ConsumerConfig

from cardtrail.services.bus.connection import Connection, foreign
from cardtrail.services.bus.errors import BrokerUnreachable
from cardtrail.services.bus.pull import Delivered, Interrupted, Pull
from cardtrail.services.bus.retried import Retried

log = logging.getLogger("cardtrail.bus")
_ACK_WAIT_S = 300.0
_AGAIN_S = 0.2


class InOrder:
    """One consumer of a work-queue stream; at most `window` messages wait here."""

    def __init__(  # noqa: PLR0913 — a queue's settings
        self,
        connection: Connection,
        stream: str,
        name: str,
        *,
        filter_subject: str,
        window: int,
        confirmed: Callable[[], Awaitable[None]],
    ) -> None:
        """Nothing happens before the first batch; `confirmed` raises where the place is another's by now."""
        self._confirmed = confirmed
        self._connection, self._stream, self._name = connection, stream, name
        self._filter, self._window = filter_subject, window
        self._pull = Pull(connection, connection.listen, window=window)
        self._retried = Retried(log, name, level=logging.INFO)
        self._begun = False

    async def batch(self, most: int, linger_s: float) -> list[Delivered]:
        """At least one message, then what comes within `linger_s` seconds; what was taken and not done may come again.

        Raises:
            ReaderTaken: as `confirmed` says.
        """
        while True:
            try:
                if not self._begun:
                    await self._begin()
                batch = await self._pull.take(most, linger_s)
            except (Interrupted, BrokerUnreachable) as why:
                self._retried.failed(type(why).__name__, why)
                self._begun = False
                await asyncio.sleep(_AGAIN_S)
                await self._connection.connected.wait()
            else:
                self._retried.worked()
                return batch

    async def done(self, batch: list[Delivered]) -> None:
        """These never come again; returns once the broker knows.

        Raises:
            BrokerUnreachable: some of them may.
        """
        with foreign():
            for message in batch[:-1]:
                await self._connection.nc.publish(message.reply, b"+ACK")
            for message in batch[-1:]:
                await self._connection.nc.request(message.reply, b"+ACK", timeout=5)

    async def close(self) -> None:
        """Stop taking."""
        await self._pull.end()
        self._begun = False

    async def _begin(self) -> None:
        config = ConsumerConfig(
            name=self._name,
            durable_name=self._name,
            filter_subject=self._filter,
            ack_policy=AckPolicy.EXPLICIT,
            ack_wait=_ACK_WAIT_S,
            max_ack_pending=4 * self._window,
        )
        await self._pull.end()
        await self._confirmed()
        with foreign():
            try:
                await self._connection.js.delete_consumer(self._stream, self._name)
            except nats.js.errors.NotFoundError:
                log.debug("%s: nobody took from it before", self._name)
            await self._connection.js.add_consumer(self._stream, config)
        await self._pull.begin(self._stream, self._name, 0)
        self._begun = True
