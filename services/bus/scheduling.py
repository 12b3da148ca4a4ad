"""A bucket whose rows are also schedules: what is due stands in a table, and the broker fires it as jobs.

Schedules are set once the rows are kept, and all anew at each start; the job of a row that is gone fires once and finds
nothing to do.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta

from cardtrail.projections.projection import Key, Row, Rows
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.kv_store import KvStore
from cardtrail.services.bus.schedules import Due, schedule
from cardtrail.services.jitter import SPREAD_S, resumed

SHARED = "all"
"""The bucket of such a fold is one for all principals: it is read by the services that work alone."""
_GAP_S = 0.1
Wanted = Callable[[Key, Row], Due]
Begin = Callable[[Rows, datetime], None]


class Scheduling(KvStore):
    """The store of the fold `name`; each row of its `table` is the job that `wanted` makes of it."""

    def __init__(self, bus: Bus, name: str, table: str, wanted: Wanted, *, begin: Begin | None = None) -> None:
        """One bucket for all principals; `begin` may change the rows as they are loaded, for settings that are new."""
        super().__init__(bus, name, SHARED)
        self._bus, self._table, self._wanted, self._begin = bus, table, wanted, begin

    async def load(self) -> tuple[Rows, int]:
        """See `Store`; what is overdue is spread out, since it may be waiting in the queue already."""
        rows, position = await super().load()
        now = datetime.now(UTC)
        if self._begin is not None:
            self._begin(rows, now)
        await schedule(self._bus, again_at(rows.table(self._table), self._wanted, now))
        return rows, position

    async def commit(self, rows: Rows, position: int) -> None:
        """See `Store`."""
        changed = {key: row for (table, key), row in rows.changes.items() if table == self._table}
        await super().commit(rows, position)
        await schedule(self._bus, [self._wanted(key, row) for key, row in changed.items() if row is not None])


def again_at(rows: Mapping[Key, Row], wanted: Wanted, now: datetime) -> list[Due]:
    """All jobs after a restart: what is overdue is spread, over a tenth of a second each and ten minutes at most."""
    jobs = [wanted(key, row) for key, row in rows.items()]
    spread = min(SPREAD_S, _GAP_S * sum(job.due <= now for job in jobs))
    soon = now + timedelta(seconds=_GAP_S)
    return [job.model_copy(update={"due": resumed(job.due, soon, job.agent, spread)}) for job in jobs]
