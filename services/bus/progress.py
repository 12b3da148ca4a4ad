"""What a run shows of itself to those who watch it: how far it is, and whether it lives."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic

from cardtrail.services.bus.readers import Reader


@dataclass(slots=True)
class Progress:
    """What a run shows to health checks: position, facts pending, parked rows, facts told; `moved` is set by each commit.

    `mine`: the run has its reader, and so nobody else does the same; whoever works beside it waits for that (`begun`), and
    asks again (`confirmed`) before what cannot be taken back. `again` asks for what is parked to be tried again; `tried`
    counts how often it was. `failing` says why a run that is tried again cannot go on, since `failing_since` (monotonic);
    what it keeps is then behind.
    """

    position: int = 0
    pending: int = 0
    parked: int = 0
    told: int = 0
    follows: str = "facts"
    moved: asyncio.Event = field(default_factory=asyncio.Event)
    again: asyncio.Event = field(default_factory=asyncio.Event)
    tried: int = 0
    mine: bool = False
    reader: Reader | None = None
    committing_since: float | None = None
    failing: str = ""
    failing_since: float | None = None

    def silent_s(self, now: float) -> float:
        """Seconds (monotonic `now`) without a sign of life: grows when the run hangs or is blind, not when all is quiet."""
        since = (self.reader.heard_at or self.reader.blind_since) if self.reader is not None else None
        return now - min(since, self.committing_since or since) if since else 0.0

    def fails(self, why: str) -> None:
        """The run has ended by this and will be tried again: so it stays until more is committed than was."""
        self.failing, self.failing_since = why, self.failing_since or monotonic()

    def works(self) -> None:
        """It is at work again."""
        self.failing, self.failing_since = "", None

    async def begun(self) -> None:
        """Returns once the run has its reader."""
        await self._until(lambda: self.mine)

    async def confirmed(self) -> None:
        """Returns if the reader is still this run's, as the broker says: a process that stood still may have lost it.

        Raises:
            ReaderTaken, BrokerUnreachable.
        """
        if self.reader is not None:
            await self.reader.claim()

    async def reaches(self, position: int) -> None:
        """Returns once the run has its reader and everything up to `position` is committed."""
        await self._until(lambda: self.mine and self.position >= position)

    async def retried(self) -> None:
        """Has what is parked tried again; returns when it was."""
        before = self.tried
        self.again.set()
        await self._until(lambda: self.tried > before)

    async def _until(self, true: Callable[[], bool]) -> None:
        while not true():
            self.moved.clear()
            await self.moved.wait()
