"""Rebuilding from an empty store, and comparing with the live one: replay equals having lived through it."""

import asyncio
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from cardtrail.events.canonical import raw_digest
from cardtrail.events.errors import Unreachable
from cardtrail.events.fact import Stored, dump
from cardtrail.projections import PROJECTIONS
from cardtrail.projections.one_principal import OnePrincipal, pass_on
from cardtrail.projections.projection import Fold, Key, Row, Rows
from cardtrail.projections.store import DuckStore
from cardtrail.projections.store_compare import first_difference as store_difference
from cardtrail.projections.store_reader import Reader
from cardtrail.projections.together import kept_in
from cardtrail.services.archive import DIGEST, NAME, SNAPSHOT, archive_fold
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.kv_store import KvStore
from cardtrail.services.bus.progress import Progress
from cardtrail.services.bus.questions import ask_patiently
from cardtrail.services.bus.readers import REPLAY, Mode
from cardtrail.services.bus.runner import run_fold
from cardtrail.services.bus.stores import MemoryStore, Store
from cardtrail.services.long_life import long_life

_LONGEST_S, _STALLED_S = 600.0, 60.0
Tables = dict[str, dict[Key, Row]]


class Compared(NamedTuple):
    """One projection of one principal: facts read, rows, digest of the live and the rebuilt content, the first difference."""

    projection: str
    principal: str
    facts: int
    rows: int
    live: str
    rebuilt: str
    first_difference: str = ""


class Through:
    """A fold that ends at a sequence: what the log has told since is not its business."""

    def __init__(self, fold: Fold, through: int) -> None:
        """Under the fold's own name."""
        self.name = fold.name
        self._fold, self._through = fold, through

    def apply(self, stored: Stored, rows: Rows) -> None:
        """Apply the fact if it is not beyond the end."""
        if stored.sequence <= self._through:
            self._fold.apply(stored, rows)

    def held(self, agent: str, principal: str, sequence: int, since: datetime | None, rows: Rows) -> None:
        """See `Fold`; likewise."""
        if sequence <= self._through:
            pass_on(self._fold, agent, principal, sequence, since, rows)


async def rebuilt(bus: Bus, fold: Fold, through: int, *, seen: Progress | None = None) -> MemoryStore:
    """The fold applied to the log from its beginning to a sequence, in memory."""
    store = MemoryStore()
    await fold_until(bus, Through(fold, through), store, through, seen or Progress())
    return store


async def fold_until(  # noqa: PLR0913 — a run's settings
    bus: Bus,
    fold: Fold,
    store: Store,
    through: int,
    seen: Progress,
    *,
    kept_in: str = "rebuild",
    mode: Mode = REPLAY,
    patience_s: float = _STALLED_S,
) -> None:
    """Drive a fold until its store has reached a sequence, or a little more: a batch is taken whole.

    Raises:
        Unreachable: `replay-stalled`, nothing was committed for `patience_s` seconds: broker or disk do not go on.
    """
    stop = asyncio.Event()
    with long_life():
        run = asyncio.create_task(run_fold(bus, fold, store, kept_in=kept_in, mode=mode, stop=stop, progress=seen))
        try:
            while not run.done() and seen.position < through:
                before = seen.position
                await _moves(seen, run, patience_s)
                if seen.position == before and not run.done():
                    hint = "look at the broker and the disk, then try again: what is in force is untouched"
                    raise Unreachable("replay-stalled", f"{fold.name} stands still at fact {before}", hint=hint)
        finally:
            stop.set()
            await run


async def _moves(seen: Progress, run: asyncio.Task[None], within_s: float) -> None:
    """Returns when more is committed or the run has ended, at the latest after so many seconds."""
    moves = asyncio.create_task(seen.reaches(seen.position + 1))
    await asyncio.wait({run, moves}, timeout=within_s, return_when=asyncio.FIRST_COMPLETED)
    moves.cancel()
    await asyncio.gather(moves, return_exceptions=True)


async def verify_buckets(bus: Bus, principal: str) -> list[Compared]:
    """Each bucket of a principal beside its rebuild."""
    return [await verify_bucket(bus, each.fold, principal) for each in kept_in("kv", PROJECTIONS)]


async def verify_bucket(bus: Bus, each: Fold, principal: str, *, seen: Progress | None = None) -> Compared:
    """One bucket beside a rebuild to the very position that it stands at."""
    fold = OnePrincipal(each, principal)
    bucket = KvStore(bus, fold.name, principal)
    live = await bucket.tables()
    last = bucket.position
    built = (await rebuilt(bus, fold, last, seen=seen)).tables
    return Compared(
        projection=fold.name,
        principal=principal,
        facts=last,
        rows=sum(map(len, live.values())),
        live=digest_of(live),
        rebuilt=digest_of(built),
        first_difference=first_difference(live, built),
    )


async def verify_archive(bus: Bus, folder: Path, *, seen: Progress | None = None) -> Compared:
    """The archive beside one that grows from nothing in `folder`, to the very position that it stands at."""
    told, seen = await ask_patiently(bus, DIGEST, {}, within_s=_LONGEST_S), seen or Progress()
    through = int(told["position"])
    _, content = await _grown(bus, folder / "beside", through, seen)
    where = "" if content == told["digest"] else await _archive_difference(bus, folder)
    return Compared(NAME, "all", through, through, told["digest"], content, where)


async def _archive_difference(bus: Bus, folder: Path) -> str:
    """The first row of a snapshot that is not in what grows to the same position; only where the snapshot is within reach."""
    path = Path((await ask_patiently(bus, SNAPSHOT, {}, within_s=_LONGEST_S))["path"] or "")
    through = await asyncio.to_thread(_through, path)
    if through is None:
        return "its file is not on this machine"
    grown, _ = await _grown(bus, folder / "again", through, Progress())
    return await asyncio.to_thread(store_difference, path, grown, archive_fold().tables)


def _through(path: Path) -> int | None:
    if not path.is_file():
        return None
    with Reader(path) as reader:
        return reader.through


async def _grown(bus: Bus, folder: Path, through: int, seen: Progress) -> tuple[Path, str]:
    """A new archive up to a sequence: its file and the digest of its content."""
    fold = archive_fold()
    store = DuckStore(folder, fold.tables)
    try:
        await fold_until(bus, Through(fold, through), store, through, seen)
        _, content = await store.digest()
        return store.path or folder, content
    finally:
        await store.close()


def digest_of(tables: Tables) -> str:
    """`sha256:` over all rows in a fixed order."""
    return raw_digest(dump(_ordered(tables)))


def first_difference(one: Tables, other: Tables) -> str:
    """Table and key of the first row that is not the same, "" where none is."""
    for table in sorted(one.keys() | other.keys()):
        left, right = one.get(table, {}), other.get(table, {})
        for key in sorted(left.keys() | right.keys()):
            if left.get(key) != right.get(key):
                return f"{table} {' / '.join(key)}"
    return ""


def _ordered(tables: Tables) -> dict[str, Any]:
    return {name: [[list(key), rows[key]] for key in sorted(rows)] for name, rows in sorted(tables.items()) if rows}
