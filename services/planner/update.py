"""What a planner tells those who listen to it: a snapshot, a mark that they have caught up, then every change.

Nobody misses a change: joining and taking the snapshot are one step, and a listener that is too slow gets a new snapshot
instead of an ever longer queue.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Literal

from pydantic import AwareDatetime

from cardtrail.events.model.value import Value
from cardtrail.services.planner.permission import Blindness, Permission

MOST = 1_000


class Update(Value):
    """One change, of one `kind`.

    `route`: another answer for `skill`; `freshness`: the same answer, confirmed anew; `withdrawn`: no lock names the skill
    any more; `profile`: calls to `agent` are made otherwise from now on; `caught-up`: all that was missed has been told;
    `blind`: from here on changes may be missed.

    `permission` is there for the first two; `through` is the stream sequence of the log behind it.
    """

    kind: Literal["route", "freshness", "withdrawn", "profile", "caught-up", "blind"]
    at: AwareDatetime
    skill: str | None = None
    agent: str | None = None
    permission: Permission | None = None
    blind: Blindness | None = None
    through: int = 0


Snapshot = Callable[[], list[Update]]


class Listener:
    """One listener's queue, at most `MOST` updates long."""

    def __init__(self, snapshot: Snapshot) -> None:
        """Start with everything there is."""
        self._snapshot = snapshot
        self._waiting: deque[Update] = deque(snapshot())
        self._there = asyncio.Event()
        self._there.set()

    def tell(self, update: Update) -> None:
        """Queue an update; where too many wait, everything there is takes their place."""
        self._waiting.append(update)
        if len(self._waiting) > MOST:
            self._waiting = deque(self._snapshot())
        self._there.set()

    async def next(self) -> Update:
        """The next update, in order."""
        while not self._waiting:
            self._there.clear()
            await self._there.wait()
        return self._waiting.popleft()
