"""Snapshots: copies of the store for readers, with the documented views in them; `snapshot` names the newest.

The copy is made by a child: a process that opens the file a second time and closes it loses DuckDB's lock on it. A reader that
still holds an older snapshot keeps it, for removing a file takes nothing from who has it open. Which module the child runs is
the caller's choice (`maker`): who knows to which site a host belongs hands that over to `copy`.
"""

import re
import shutil
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import duckdb

from cardtrail.events.canonical import raw_digest
from cardtrail.projections.store_child import in_child
from cardtrail.projections.store_errors import StoreAway, foreign
from cardtrail.projections.store_generations import Claim, Generations, pointed, wal
from cardtrail.projections.views import SITES, STATEMENTS

POINTER = "snapshot"
_PREFIX = "snapshot-"
_SUFFIX = ".duckdb"
_SNAPSHOT = re.compile(rb"snapshot-[a-z0-9-]{1,60}\.duckdb\s*")
_GROWING = "growing-"
_VIEWS = "\n".join((SITES, *STATEMENTS))
MAKER = "cardtrail.projections.store_snapshot"


def publish(  # noqa: PLR0913 — what a snapshot is made of
    source: Path,
    home: Path,
    position: int,
    maker: str = MAKER,
    *,
    anew: bool = False,
    closing: threading.Event | None = None,
) -> Path:
    """Copy a checkpointed file that nobody writes to meanwhile, give it views, and make it the newest snapshot.

    One of the same position and views is as good, unless it shall be made `anew`.

    Raises:
        StoreAway: `store-failed`: no copy could be made; the older snapshot stays.
    """
    name = f"{_PREFIX}{position}-{raw_digest(_VIEWS.encode())[7:15]}"
    target = home / f"{name}{_SUFFIX}"
    if anew and target.exists():
        target = home / f"{name}-b{_SUFFIX}"
    if not target.exists():
        for half in home.glob(f"{_GROWING}*"):  # of a maker that died
            half.unlink(missing_ok=True)
        done = in_child(maker, [str(source), str(target)], closing)
        if done.status or not target.exists():
            raise StoreAway("store-failed", f"no snapshot could be made: {done.said[-300:]}")
    written = home / f"{POINTER}.new"
    written.write_text(target.name + "\n", "utf-8")
    written.replace(home / POINTER)
    for older in home.glob(f"{_PREFIX}*{_SUFFIX}"):
        if older != target:
            older.unlink(missing_ok=True)
    return target


def newest(home: Path, maker: str = MAKER) -> Path:
    """The snapshot to read; made from the store itself when nobody owns it, so that readers need no running owner.

    Raises:
        StoreAway: `store-empty`: nothing was ever projected here.
    """
    if not home.is_dir():
        raise _empty(home)
    generations = Generations(home)
    path = generations.current()
    claim = _free(path) if path is not None else None
    if path is not None and claim is not None:
        try:
            if not generations.problem(path):
                return publish(path, home, _checkpointed(path), maker)
        finally:
            claim.release()
    name = pointed(home / POINTER, _SNAPSHOT)
    if not name:
        raise _empty(home)
    return home / name


def _empty(home: Path) -> StoreAway:
    hint = "cardtrail up, or cardtrail run projector, fills it from the log"
    return StoreAway("store-empty", f"there is no snapshot of the store in {home}", hint=hint)


def _free(path: Path) -> Claim | None:
    try:
        return Claim(path)
    except (StoreAway, OSError):
        return None  # its owner publishes snapshots; or we may only read here


def copy(source: Path, target: Path, site: Callable[[str], str] | None = None) -> None:
    """Copy, add the views, and show the file under its name only when it is whole.

    `site` says to whom a host belongs; without it an agent without label is its own provider.
    """
    growing = target.with_name(f"{_GROWING}{target.name}")
    shutil.copyfile(source, growing)
    with foreign(), duckdb.connect(str(growing)) as database:
        database.begin()
        for statement in (SITES, *STATEMENTS):
            database.execute(statement)
        hosts = database.execute("SELECT DISTINCT host FROM agents WHERE host IS NOT NULL ORDER BY host").fetchall()
        sites = [[host, site(host)] for (host,) in hosts] if site else []
        if sites:
            database.execute(
                "INSERT INTO sites SELECT unnest($1), unnest($2)", [list(part) for part in zip(*sites, strict=True)]
            )
        database.commit()
        database.execute("CHECKPOINT")
    wal(growing).unlink(missing_ok=True)
    growing.replace(target)


def _checkpointed(path: Path) -> int:
    with foreign(), duckdb.connect(str(path)) as database:
        database.execute("CHECKPOINT")
        return int(database.execute("SELECT through FROM position").fetchall()[0][0])


if __name__ == "__main__":
    copy(Path(sys.argv[1]), Path(sys.argv[2]))
