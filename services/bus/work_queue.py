"""Work shared by several processes: each job goes to one of them, and to another one if that one dies.

Unlike a reader of facts a worker may put a job back for later; jobs have no order. A job is asked for when there is a hand
for it, and given up by a process that stood still for so long that another may have it.
"""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Awaitable, Callable

import nats.js.errors
from nats.js.api import AckPolicy, ConsumerConfig

from cardtrail.services.bus.connection import Connection, foreign
from cardtrail.services.bus.errors import BrokerUnreachable
from cardtrail.services.bus.pull import Delivered, Interrupted, Pull
from cardtrail.services.bus.retried import Retried

log = logging.getLogger("cardtrail.bus")
ACK_WAIT_S = 60.0
_MARGIN = 0.1
_AGAIN_S = 0.2


class WorkQueue:
    """One durable on a work-queue stream, pulled by any number of workers; no job waits in one of them."""

    def __init__(
        self, connection: Connection, stream: str, name: str, *, filter_subject: str, ack_wait_s: float = ACK_WAIT_S
    ) -> None:
        """Workers that share work share `name` and `filter_subject`; after `ack_wait_s` a silent one loses its job."""
        self._connection, self._stream, self._name, self._ack_wait_s = connection, stream, name, ack_wait_s
        self._filter = filter_subject
        self._pull = Pull(connection, connection.listen, window=1, shared=True)
        self._retried = Retried(log, name, level=logging.INFO)
        self._begun = False

    async def take(self) -> Delivered:
        """The next job; waits for it, also through restarts of the broker and a deleted consumer."""
        while True:
            try:
                if not self._begun:
                    await self._begin()
                job = (await self._pull.take(1))[0]
            except (Interrupted, BrokerUnreachable) as why:
                self._retried.failed(type(why).__name__, why)
                self._begun = False
                await asyncio.sleep(_AGAIN_S)
                await self._connection.connected.wait()
            else:
                self._retried.worked()
                return job

    async def handled(self, job: Delivered, work: Callable[[], Awaitable[None]]) -> None:
        """Do the work that a job asks for; measured, and the beginning of a trace."""
        await self._connection.seams.job(self._name, [job], work)

    async def done(self, job: Delivered) -> None:
        """The job is done and never comes again; waits until the broker knows.

        Raises:
            BrokerUnreachable: it may come again.
        """
        with foreign():
            await self._connection.nc.request(job.reply, b"+ACK", timeout=5)

    @contextlib.asynccontextmanager
    async def held(self, job: Delivered) -> AsyncIterator[None]:
        """Say from time to time that the job is in hand, so that nobody else is given it.

        Raises:
            BrokerUnreachable: `job-lost`, this process stood still; what it did with the job was broken off.
        """
        clock, held_s = asyncio.get_running_loop().time, self._ack_wait_s * (1 - _MARGIN)

        async def say() -> None:
            while True:
                await asyncio.sleep(self._ack_wait_s / 3)
                limit.reschedule(clock() + held_s)
                with contextlib.suppress(BrokerUnreachable):
                    await self.working(job)

        try:
            async with asyncio.timeout(held_s) as limit:
                saying = asyncio.create_task(say())
                try:
                    yield
                finally:
                    saying.cancel()
                    await asyncio.gather(saying, return_exceptions=True)
        except TimeoutError:
            if not limit.expired():
                raise
            raise BrokerUnreachable("job-lost", "this process stood still, and another may have the job") from None

    async def working(self, job: Delivered) -> None:
        """Still at it: do not give it to another for the next 60 s."""
        with foreign():
            await self._connection.nc.publish(job.reply, b"+WPI")

    async def later(self, job: Delivered, delay_s: float) -> None:
        """Not now (a host is busy, a limit is reached): offer it again after `delay_s` seconds."""
        with foreign():
            await self._connection.nc.publish(job.reply, b'-NAK {"delay": %d}' % int(delay_s * 1e9))

    async def close(self) -> None:
        """Stop taking; jobs that were handed out and not done come again to somebody."""
        await self._pull.end()
        self._begun = False

    async def _begin(self) -> None:
        config = ConsumerConfig(
            name=self._name,
            durable_name=self._name,
            filter_subject=self._filter,
            ack_policy=AckPolicy.EXPLICIT,
            ack_wait=self._ack_wait_s,
            max_ack_pending=10_000,
        )
        with foreign():
            try:
                await self._connection.js.add_consumer(self._stream, config)
            except nats.js.errors.BadRequestError:
                await self._connection.js.delete_consumer(self._stream, self._name)
                await self._connection.js.add_consumer(self._stream, config)
        await self._pull.begin(self._stream, self._name, 0)
        self._begun = True
