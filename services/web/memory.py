"""The buckets of every principal, watched: what the fleet shows now, and whether it can be trusted.

Each principal's rows stand apart, as they do in the buckets. While the broker is away the last rows stay, and say since when.
"""

import asyncio
import logging
from datetime import datetime
from typing import NamedTuple

from cardtrail.events.subjects import token, untoken
from cardtrail.services.bus.alone import ended
from cardtrail.services.bus.attempt import PARKED
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.errors import BrokerRefused
from cardtrail.services.bus.watch import Change, Standing, Watch
from cardtrail.services.web.known import Known, Tables
from cardtrail.services.web.pulse import Pulse

log = logging.getLogger("cardtrail.web")
BUCKETS = ("current_profile", "lockfile_status", "routes")
_AGAIN_S = 0.3
_RANK = ("blind", "catching-up", "live")


class Held(NamedTuple):
    """How many facts cannot be applied, or wait behind one; the agents (or what else they are about) that stand as before."""

    facts: int
    about: tuple[str, ...]


class _Bucket:
    """One watched bucket."""

    def __init__(self, since: datetime) -> None:
        self.tables: Tables = {}
        self.watch: Watch | None = None
        self.standing = Standing(state="catching-up", since=since)

    @property
    def through(self) -> int:
        """The sequence of the last fact that the projector had folded in."""
        return self.watch.position if self.watch else 0


class Memory:
    """All rows by principal; `watch` begins with one more principal."""

    def __init__(self, bus: Bus, pulse: Pulse, tasks: asyncio.TaskGroup, started: datetime) -> None:
        """Nobody is watched yet."""
        self._bus, self._pulse, self._tasks, self._started = bus, pulse, tasks, started
        self._buckets: dict[str, dict[str, _Bucket]] = {}
        self._following: list[asyncio.Task[None]] = []

    @property
    def principals(self) -> tuple[str, ...]:
        """Everybody whose buckets are watched, in the order they were found."""
        return tuple(self._buckets)

    def watch(self, principal: str) -> None:
        """Begin with a principal that is new."""
        if principal in self._buckets:
            return
        self._buckets[principal] = {name: _Bucket(self._started) for name in BUCKETS}
        for name, bucket in self._buckets[principal].items():
            self._following.append(self._tasks.create_task(self._follow(name, principal, bucket)))
        self._pulse.beat()

    async def end(self) -> None:
        """Watch nobody any more."""
        await ended(*self._following)

    def known(self, principal: str) -> Known | None:
        """A principal's rows, None for nobody's."""
        held = self._buckets.get(principal)
        if held is None:
            return None
        tables = {name: rows for bucket in held.values() for name, rows in bucket.tables.items()}
        return Known(principal, tables, min(bucket.through for bucket in held.values()))

    def standing(self, principal: str) -> Standing:
        """What the rows are worth: the least of the principal's buckets."""
        held = self._buckets.get(principal, {})
        found = [bucket.standing for bucket in held.values()]
        nobody = Standing(state="catching-up", since=self._started)
        return min(found, key=lambda one: _RANK.index(one.state), default=nobody)

    def held(self, principal: str) -> Held:
        """What the buckets of a principal hold back of what the principal may see."""
        found = [bucket.tables.get(PARKED, {}) for bucket in self._buckets.get(principal, {}).values()]
        seen = (key for rows in found for key in rows if not key[0] or key[1] == token(principal))
        lanes = {key: _name(key[0] or key[1]) for key in seen}
        return Held(len(lanes), tuple(sorted(set(lanes.values()))))

    async def _follow(self, name: str, principal: str, bucket: _Bucket) -> None:
        while True:
            watch = Watch(self._bus.connection, name, principal)
            watch.position = bucket.through
            bucket.watch = watch
            try:
                async for change in watch.changes():
                    _take(change, bucket)
                    self._pulse.beat()
            except BrokerRefused as refused:  # the projector has not made it yet
                log.debug("bucket %s of %s: %s", name, principal, refused)
            await asyncio.sleep(_AGAIN_S)


def _name(part: str) -> str:
    """The name behind a part of a subject; another program's may hide none."""
    try:
        return untoken(part) or part
    except ValueError:
        return part


def _take(change: Change | Standing, bucket: _Bucket) -> None:
    if isinstance(change, Standing):
        bucket.standing = change
        return
    rows = bucket.tables.setdefault(change.table, {})
    if change.row is None:
        rows.pop(change.key, None)
    else:
        rows[change.key] = change.row
