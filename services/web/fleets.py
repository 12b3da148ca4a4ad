"""The whole fleet as it was at an instant, folded from the log: once through, then from the nearest place that was kept.

On its way through the log the fold keeps its rows at intervals: a later question about another instant begins at the
nearest one before it. Rows are shared, never changed in place, so a kept place costs its keys alone. One fold runs at a time.
"""

import asyncio
from bisect import bisect_right, insort
from collections import OrderedDict, defaultdict
from functools import partial

from cardtrail.events import PolicyDeclared, Stored
from cardtrail.events.errors import Unreachable
from cardtrail.projections.current_profile import CurrentProfile
from cardtrail.projections.lockfile_status import LockfileStatus
from cardtrail.projections.one_principal import OnePrincipal
from cardtrail.projections.projection import Key, Row, Rows
from cardtrail.projections.routes import Routes
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.progress import Progress
from cardtrail.services.bus.stores import MemoryStore
from cardtrail.services.rebuild import Through, fold_until
from cardtrail.services.web.attempts import Attempts
from cardtrail.services.web.known import BUDGET, BUDGET_KEY, Known

_KEPT, _WAITS_S = 4, 10.0
EVERY, PLACES = 5_000, 32
Tables = dict[str, dict[Key, Row]]


class Kept:
    """The rows of one principal at some sequences; every second one goes when there are too many."""

    def __init__(self, every: int = EVERY) -> None:
        """None yet; `every` facts lie between two of them at least."""
        self._places: list[tuple[int, Tables]] = []
        self._every = every

    @property
    def last(self) -> int:
        """The last sequence that is kept, 0 where none is."""
        return self._places[-1][0] if self._places else 0

    def before(self, through: int) -> tuple[int, Tables]:
        """The nearest place up to a sequence: where it is, and tables that may be changed."""
        found = bisect_right(self._places, through, key=_sequence)
        position, tables = self._places[found - 1] if found else (0, {})
        return position, _copied(tables)

    def keep(self, position: int, tables: Tables) -> None:
        """Keep a place that is far enough from the one before it."""
        found = bisect_right(self._places, position, key=_sequence)
        if position - (self._places[found - 1][0] if found else 0) < self._every:
            return
        insort(self._places, (position, _copied(tables)), key=_sequence)
        if len(self._places) > PLACES:
            self._places, self._every = self._places[1::2], 2 * self._every


class Fleets:
    """Answers for some principals and instants at a time; the oldest question is given up when there are more."""

    def __init__(self, bus: Bus, every: int = EVERY) -> None:
        """Nothing is read yet; `every`: see `Kept`."""
        self._bus = bus
        self._asked: OrderedDict[tuple[str, int], asyncio.Task[Known]] = OrderedDict()
        self._kept: defaultdict[str, Kept] = defaultdict(partial(Kept, every))
        self._turn = asyncio.Lock()

    async def at(self, principal: str, through: int) -> Known:
        """All rows of a principal as they were at a sequence.

        Raises:
            Unreachable: `page-loading`, it takes longer than a reader waits, and goes on meanwhile.
        """
        key = (principal, through)
        task = self._asked.pop(key, None) or asyncio.create_task(self._folded(principal, through))
        self._asked[key] = task
        while len(self._asked) > _KEPT:
            self._asked.popitem(last=False)[1].cancel()
        await asyncio.wait({task}, timeout=_WAITS_S)
        if not task.done() or task.cancelled():
            done = self._kept[principal].last
            said = f"the log is being read up to fact {through}" + (f", {done} are read" if done else "")
            raise Unreachable("page-loading", said, hint="load it again in a while")
        if task.exception() is not None:
            self._asked.pop(key, None)
        return task.result()

    async def _folded(self, principal: str, through: int) -> Known:
        async with self._turn:
            store = _Keeping(self._kept[principal], through)
            fold = Through(OnePrincipal(_Everything(), principal), through)
            await fold_until(self._bus, fold, store, through, Progress(position=store.position))
            return Known(principal, store.tables, through)


class _Keeping(MemoryStore):
    """A store that begins at a kept place and keeps more on its way."""

    def __init__(self, kept: Kept, through: int) -> None:
        super().__init__()
        self._kept, self._through = kept, through
        self.position, self.tables = kept.before(through)

    async def commit(self, rows: Rows, position: int) -> None:
        await super().commit(rows, position)
        self._kept.keep(min(position, self._through), self.tables)


class _Everything:
    """What the fleet shows, as one fold."""

    name = "fleet"
    _folds = (CurrentProfile(), LockfileStatus(), Routes(), Attempts())

    def apply(self, stored: Stored, rows: Rows) -> None:
        for fold in self._folds:
            fold.apply(stored, rows)
        event = stored.fact.data
        if isinstance(event, PolicyDeclared):
            rows.put(BUDGET, BUDGET_KEY, {"staleness_s": event.policy.staleness_s})


def _copied(tables: Tables) -> Tables:
    """Tables of the same rows."""
    return {name: dict(rows) for name, rows in tables.items()}


def _sequence(place: tuple[int, Tables]) -> int:
    return place[0]
