"""Drives folds into stores as the runner does, and takes stores apart to compare them."""

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path

from cardtrail.events.fact import Stored
from cardtrail.projections import PROJECTIONS
from cardtrail.projections.projection import Fold, Rows
from cardtrail.projections.store import DuckStore
from cardtrail.projections.store_file import StoreFile
from cardtrail.projections.together import Together, kept_in
from cardtrail.services.bus.stores import Store


def everything() -> Together:
    """All that is kept in DuckDB, as one fold."""
    return Together("duckdb", kept_in("duckdb", PROJECTIONS))


async def drive(store: Store, fold: Fold, facts: Sequence[Stored], sizes: Iterable[int]) -> None:
    """Apply what the store has not seen yet in batches of these sizes, loading anew before each; then all the rest."""
    for size in (*sizes, len(facts)):
        rows, position = await store.load()
        batch = [stored for stored in facts if stored.sequence > position][:size]
        apply(fold, batch, rows)
        if batch:
            await store.commit(rows, batch[-1].sequence)


def apply(fold: Fold, facts: Iterable[Stored], rows: Rows) -> Rows:
    for stored in facts:
        rows.mark()
        fold.apply(stored, rows)
    return rows


def content(path: Path, fold: Together) -> str:
    """A digest over everything in a closed DuckDB file, in a fixed order."""
    file = StoreFile(path, fold.tables)
    digest = hashlib.sha256(b"".join(file.lines())).hexdigest()
    file.close()
    return digest


async def built(home: Path, fold: Together, facts: Sequence[Stored], sizes: Iterable[int] = ()) -> str:
    """The content of a store of its own that lived through these facts."""
    store = DuckStore(home, fold.tables)
    await drive(store, fold, facts, sizes)
    path = store.path
    await store.close()
    assert path is not None
    return content(path, fold)
