"""The notifier's process: the fold over decisions, and one worker per channel that tells owners what the fold has left."""

import asyncio
import contextlib
import logging
import os
from collections.abc import AsyncIterator, Mapping
from datetime import UTC, datetime
from functools import partial

from cardtrail.events.errors import Unreachable
from cardtrail.events.model.policy import EndpointPolicy
from cardtrail.projections.projection import Rows
from cardtrail.services.bus.alone import alone, first
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.errors import LogFull, ReaderTaken
from cardtrail.services.bus.kv_store import KvStore
from cardtrail.services.bus.progress import Progress
from cardtrail.services.bus.runner import run_fold
from cardtrail.services.card.paths import visible
from cardtrail.services.notifier.deliver import Channel
from cardtrail.services.notifier.notices import NAME, Notices, begin, waiting
from cardtrail.services.notifier.owners import Owners
from cardtrail.services.outbound.call import Call, Refusal
from cardtrail.services.outbound.client import Door
from cardtrail.services.outbound.exchange import Exchange
from cardtrail.services.outbound.resolve import static_names
from cardtrail.services.service import Context
from cardtrail.services.settings import ChannelSettings

log = logging.getLogger("cardtrail.notifier")
_LOOK_S = 60.0
_AGAIN_S = 1.0


async def run(context: Context) -> None:
    """Tell owners until asked to stop."""
    settings = context.settings
    async with Door(settings.limits, settings.tls, resolver=static_names(settings.hosts)) as door:
        await alone(lambda: _notify(context, door), context.stop)


class Shown(KvStore):
    """The fold's bucket; `commits` counts, so that whoever sends looks at the rows again after each."""

    rows: Rows

    def __init__(self, bus: Bus) -> None:
        """One bucket for all principals: it is read by the notifier alone."""
        super().__init__(bus, NAME, "all")
        self.commits, self._changed = 0, asyncio.Condition()

    async def load(self) -> tuple[Rows, int]:
        """See `Store`."""
        self.rows, position = await super().load()
        begin(self.rows, datetime.now(UTC))
        return self.rows, position

    async def commit(self, rows: Rows, position: int) -> None:
        """See `Store`."""
        await super().commit(rows, position)
        self.commits += 1
        async with self._changed:
            self._changed.notify_all()

    async def changes(self, seen: int, within_s: float) -> None:
        """Returns once there were more commits than those seen, or after so many seconds."""
        # Not `wait_for`, which loses a cancellation that meets a result (python/cpython#86296).
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(within_s), self._changed:
                await self._changed.wait_for(lambda: self.commits != seen)


async def _notify(context: Context, door: Door) -> None:
    store, seen = Shown(context.bus), context.watched(NAME)
    channels = _channels(context.settings.channels, os.environ)
    owners = [
        Owners(channel, context.bus, partial(_opened, door, seen), context.settings.notices, _now)
        for channel in channels
    ]
    folding = asyncio.create_task(run_fold(context.bus, Notices(), store, stop=context.stop, progress=seen))
    telling = [asyncio.create_task(_tell(context.bus, owner, store, seen)) for owner in owners]
    telling.append(asyncio.create_task(_warn(store, {channel.name for channel in channels})))
    await first(folding, *telling)


@contextlib.asynccontextmanager
async def _opened(door: Door, seen: Progress, call: Call) -> AsyncIterator[Exchange | Refusal]:
    """Each message is sent by whoever has the place now, although it may have been written before this process stood still."""
    await seen.confirmed()
    async with door.open(call) as answer:
        yield answer


async def _tell(bus: Bus, owners: Owners, store: Shown, seen: Progress) -> None:
    """Nothing is sent before the fold has its place and has read what is already told."""
    await seen.begun()
    await seen.reaches((await bus.info()).end)
    while True:
        commits = store.commits
        try:
            wait_s = await owners.serve(store.rows)
        except (Unreachable, LogFull) as away:
            owners.retried.failed(away.code, away)
            wait_s = _AGAIN_S
        except ReaderTaken:
            raise
        except Exception as defect:  # noqa: BLE001 — told with its trace, and no end of the other channels
            owners.retried.failed(type(defect).__name__, "a message could not be made", defect)
            wait_s = _LOOK_S
        await store.changes(commits, _LOOK_S if wait_s is None else min(wait_s, _LOOK_S))


async def _warn(store: Shown, known: set[str]) -> None:
    """A lock may name a channel that no setting declares: its owner hears nothing, and the operator should know."""
    warned: set[str] = set()
    while True:
        commits = store.commits
        named = {one.event.channel for one in waiting(store.rows)} if commits else set()
        for channel in named - known - warned:
            log.warning("channel %s is declared nowhere: its owners are told nothing", visible(channel)[:100])
        warned |= named
        await store.changes(commits, _LOOK_S)


def _channels(settings: Mapping[str, ChannelSettings], environment: Mapping[str, str]) -> list[Channel]:
    """The channels as they are used: a URL that is a secret comes from the environment."""
    return [
        Channel(
            name,
            one.kind,
            environment.get(one.url_env, "") if one.url_env else one.url,
            EndpointPolicy(cidrs=one.networks, cleartext=one.allow_cleartext),
        )
        for name, one in settings.items()
    ]


def _now() -> datetime:
    return datetime.now(UTC)
