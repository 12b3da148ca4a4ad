"""Facts and bodies wait on disk, in order, while the broker is away; they are drained in order under the same ids.

Once anything waits, everything of this process goes through the file, so that an order is kept. A head that the broker
refuses for ever goes to a side file with an alarm, and the rest goes on. Derivers have no outbox: they tell before they
commit.
"""

import asyncio
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Self

from cardtrail.events import Fact
from cardtrail.events.canonical import raw_digest
from cardtrail.events.errors import CardtrailError, Unreachable
from cardtrail.events.model.value import Value
from cardtrail.services.bus.alone import ended
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.errors import LogFull
from cardtrail.services.bus.outbox_file import OutboxFailed, OutboxFile
from cardtrail.services.bus.publish import Message
from cardtrail.services.bus.retried import Retried

log = logging.getLogger("cardtrail.bus")
_AT_ONCE = 200
_AGAIN_S = 0.5


class OutboxStanding(Value):
    """How many messages wait, how many were refused for ever since the file was made."""

    waiting: int
    refused: int


class Outbox:
    """The way out of one process; an async context manager that drains while it is open."""

    def __init__(self, bus: Bus, path: Path, *, max_bytes: int = 1 << 30) -> None:
        """`bus` should have little patience: what it does not take in time waits here."""
        self._bus = bus
        self._file = OutboxFile(path, max_bytes)
        self._turn = asyncio.Lock()
        self._some, self._none = asyncio.Event(), asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._telling = Retried(log, "what is told waits on disk")
        self._keeping = Retried(log, "the outbox stands still", level=logging.CRITICAL)

    async def __aenter__(self) -> Self:
        await self._count()
        self._task = asyncio.create_task(self._drain())
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._task is not None:
            await ended(self._task)
        self._file.close()

    async def tell(self, facts: Sequence[Fact]) -> list[int] | None:
        """Tell the facts now (their sequences), or keep them for later (None).

        Raises:
            TooLarge: one of them can never be told; none was.
            OutboxFailed: they could be neither told nor kept.
        """
        return await self._send([self._bus.message(fact) for fact in facts])

    async def put_body(self, agent: str, principal: str, data: bytes) -> str:
        """Keep a card's bytes before the fact that names them; their digest. Raises as `tell`."""
        message = self._bus.body(agent, principal, data)
        if self._some.is_set() or not await self._held(message):
            await self._send([message])
        return raw_digest(data)

    def standing(self) -> OutboxStanding:
        """For health checks."""
        return OutboxStanding(waiting=self._file.waiting(), refused=self._file.count_refused())

    async def emptied(self) -> None:
        """Returns once nothing waits."""
        await self._none.wait()

    async def _send(self, messages: list[Message]) -> list[int] | None:
        async with self._turn:
            if not self._some.is_set():
                try:
                    told = await self._bus.publish(messages)
                except (Unreachable, LogFull) as why:
                    self._telling.failed(why.code, why)
                else:
                    self._telling.worked()
                    return told
            await asyncio.to_thread(self._file.keep, messages)
            await self._count()
            return None

    async def _held(self, message: Message) -> bool:
        try:
            return await self._bus.holds(message.subject)
        except Unreachable:
            return False

    async def _drain(self) -> None:
        while True:
            await self._some.wait()
            try:
                await self._drain_some()
                self._keeping.worked()
            except (Unreachable, LogFull) as why:
                log.debug("still waiting: %s", why)
                await asyncio.sleep(_AGAIN_S)
            except OutboxFailed as why:
                self._keeping.failed(why.code, why)
                await asyncio.sleep(_AGAIN_S)

    async def _drain_some(self) -> None:
        rows = await asyncio.to_thread(self._file.head, _AT_ONCE)
        if not rows:  # another process of this folder has told them
            await self._gone(0)
            return
        try:
            await self._bus.publish([message for _, message in rows])
        except (Unreachable, LogFull):
            raise
        except CardtrailError:
            await self._one_by_one(rows)
        else:
            await self._gone(rows[-1][0])

    async def _one_by_one(self, rows: list[tuple[int, Message]]) -> None:
        for place, message in rows:
            try:
                await self._bus.publish([message])
            except (Unreachable, LogFull):
                raise
            except CardtrailError as refusal:
                log.critical("refused for ever, set aside in %s: %s", self._file.refused, refusal)
                await asyncio.to_thread(self._file.set_aside, message, refusal)
            await self._gone(place)

    async def _gone(self, through: int) -> None:
        async with self._turn:
            await asyncio.to_thread(self._file.remove, through)
            await self._count()

    async def _count(self) -> None:
        waiting = await asyncio.to_thread(self._file.waiting)
        now_true, now_false = (self._some, self._none) if waiting else (self._none, self._some)
        now_true.set()
        now_false.clear()
