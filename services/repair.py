"""Putting a projection right: folded anew from the beginning of the log, then swapped in.

It reads under the name of the live run's reader, of which the broker lets one run at a time: a projector that is at work refuses
it, and one that starts meanwhile is refused. Watchers of a bucket see only what differs; readers of the archive never see half.
"""

from dataclasses import replace
from pathlib import Path

from cardtrail.events.errors import UsageError
from cardtrail.projections.one_principal import OnePrincipal
from cardtrail.projections.projection import Fold
from cardtrail.projections.store import DuckStore
from cardtrail.services.archive import NAME, archive_fold
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.errors import ReaderTaken
from cardtrail.services.bus.kv_store import KvStore, SideStore
from cardtrail.services.bus.progress import Progress
from cardtrail.services.bus.readers import REPLAY
from cardtrail.services.bus.stores import Store
from cardtrail.services.rebuild import fold_until

_ANEW = replace(REPLAY, durable=True)


async def repair_bucket(bus: Bus, each: Fold, principal: str, seen: Progress) -> int:
    """Fold one bucket of a principal anew; how many keys had to change.

    Raises:
        UsageError: `projector-running`. StaleWriter: somebody wrote the bucket meanwhile; nothing of ours was.
    """
    fold = OnePrincipal(each, principal)
    side = SideStore(KvStore(bus, fold.name, principal))
    await _anew(bus, fold, side, seen, f"kv-{principal}")
    return await side.finish()


async def repair_archive(bus: Bus, folder: Path, seen: Progress) -> None:
    """Grow a new generation of the archive in its folder and put it in force.

    Raises:
        UsageError: `projector-running`. StoreAway: the file cannot be used.
    """
    fold = archive_fold()
    store = DuckStore(folder, fold.tables, anew=True)
    try:
        await _anew(bus, fold, store, seen, NAME)
        await store.promote()
    finally:
        await store.close()


async def _anew(bus: Bus, fold: Fold, store: Store, seen: Progress, kept_in: str) -> None:
    try:
        await fold_until(bus, fold, store, (await bus.info()).end, seen, kept_in=kept_in, mode=_ANEW)
    except ReaderTaken as taken:
        hint = "stop it first: a rebuild and a live run never share a store"
        raise UsageError("projector-running", "the projector is at work on this store", hint=hint) from taken
