"""The pasts of agents, read from the log when somebody asks, kept for a while, continued where they ended."""

import asyncio
from collections import OrderedDict
from dataclasses import dataclass, field
from datetime import datetime

from cardtrail.events import Stored
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.errors import BrokerUnreachable
from cardtrail.services.bus.past import facts_about, known_at
from cardtrail.services.web.past import Past

_KEPT, _BREATH = 64, 100
_MOST_BYTES = 64 << 20
"""Of facts as they are stored: how long they are, and how many there come, is up to the agents."""


class Pasts:
    """Readers of the log for views that need more than the rows of now."""

    def __init__(self, bus: Bus, most_bytes: int = _MOST_BYTES) -> None:
        """Nothing is kept yet, and never more than `most_bytes` of facts between two questions."""
        self._bus, self._most_bytes = bus, most_bytes
        self._kept: OrderedDict[tuple[str, str, tuple[str, ...]], _Kept] = OrderedDict()

    @property
    def size(self) -> int:
        """How many bytes of facts are kept."""
        return sum(held.past.size for held in self._kept.values())

    async def now(self, agent: str, principal: str, names: tuple[str, ...], news: int, *, away: bool) -> Past:
        """An agent's past up to now; `names` are what locks call it, `news` the sequence of the last fact known to be about it.

        While the broker is `away` the past as it was last read is better than none; its `through` says how far it goes.

        Raises:
            BrokerUnreachable: there is none.
        """
        key = (agent, principal, names)
        held = self._kept.pop(key, None) or _Kept(Past(agent, principal))
        self._kept[key] = held
        while len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        async with held.turn:
            past = held.past
            if away and not past.through:
                raise BrokerUnreachable("broker-unreachable", "the log cannot be read while the broker is away")
            if not away and (not past.through or news > past.through):
                try:
                    await self._continue(past, names, (await self._bus.info()).last)
                finally:
                    self._let_go()
            return past

    async def then(self, agent: str, principal: str, names: tuple[str, ...], through: int) -> Past:
        """The same folds over the same facts, stopped at a sequence."""
        past = Past(agent, principal)
        await self._continue(past, names, through)
        return past

    async def through(self, at: datetime) -> int:
        """The last sequence known at an instant."""
        return await known_at(self._bus, at)

    def _let_go(self) -> None:
        """The one asked for longest ago goes first; one that is too large alone is read anew each time."""
        while self.size > self._most_bytes:
            self._kept.popitem(last=False)

    async def _continue(self, past: Past, names: tuple[str, ...], through: int) -> None:
        count = 0
        async for stored in facts_about(self._bus, names, through, after=past.through):
            if isinstance(stored, Stored):
                past.tell(stored)
            count += 1
            if count % _BREATH == 0:
                await asyncio.sleep(0)  # others want to be answered meanwhile
        past.through = max(past.through, through)


@dataclass
class _Kept:
    """A past and who may continue it: one at a time."""

    past: Past
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
