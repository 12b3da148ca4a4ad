"""Where an analyst's answers come from: a snapshot fresh from the running projector, else the newest on disk."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeVar

from cardtrail.events.errors import CardtrailError
from cardtrail.projections.store_errors import Damaged, StoreAway
from cardtrail.projections.store_reader import Reader
from cardtrail.projections.store_snapshot import newest
from cardtrail.services.archive import SNAPSHOT, SNAPSHOTS, home
from cardtrail.services.bus.questions import ask_patiently
from cardtrail.services.cli.live.config import load_settings
from cardtrail.services.cli.live.tracker import Tracker, on_tracker

_PATIENCE_S = 120.0
_TRIES = 3
T = TypeVar("T")


class Source(NamedTuple):
    """A snapshot, and what to say of it where it is not as fresh as can be ("" where it is)."""

    path: Path
    note: str = ""


def asking(
    config: Path | None, work: Callable[[Reader], T], *, target: Path | None = None, memory_mb: int = 512
) -> tuple[T, str]:
    """What a piece of work finds in the freshest snapshot there is, and what to say of that; `target` is a file it may write.

    Raises:
        As `on_snapshot`.
    """

    def read(path: Path) -> T:
        with Reader(path, target=target, memory_mb=memory_mb) as reader:
            return work(reader)

    return on_snapshot(config, read)


def on_snapshot(config: Path | None, work: Callable[[Path], T]) -> tuple[T, str]:
    """What a piece of work makes of the freshest snapshot there is, and what to say of that.

    A snapshot that is damaged is taken away, and the work begun anew with the one that is made in its place.

    Raises:
        StoreAway: `store-empty`, or what is wrong with the store. ConfigInvalid, UsageError: the settings. What the work raises.
    """
    for left in reversed(range(_TRIES)):
        found = _source(config)
        try:
            return work(found.path), found.note
        except Damaged:
            if not left or not _taken_away(found.path):
                raise
        except StoreAway:
            if found.path.exists() or not left:  # a newer snapshot may have taken its place meanwhile
                raise
    raise AssertionError("the last try returns or raises")


def _taken_away(path: Path) -> bool:
    try:
        path.unlink(missing_ok=True)
    except OSError:
        return False
    return True


def _source(config: Path | None) -> Source:
    """Ask the projector for a snapshot; where nobody answers, the newest on disk, made from the store where that is free."""
    settings = load_settings(config)
    folder = home(settings.broker.data)
    try:
        path, position = on_tracker(config, _asked)
    except CardtrailError as away:
        return Source(
            newest(folder, SNAPSHOTS), f"the tracker does not answer ({away.code}): this is what lies on disk"
        )
    if path is not None and path.exists():
        return Source(path)
    why = "its archive is not here" if path is not None else f"its archive still grows, {position:,} facts so far"
    return Source(newest(folder, SNAPSHOTS), f"the tracker works, but {why}: this is what lies on disk")


async def _asked(tracker: Tracker) -> tuple[Path | None, int]:
    said = await ask_patiently(tracker.bus, SNAPSHOT, {}, within_s=_PATIENCE_S)
    return Path(said["path"]) if said["path"] else None, int(said["position"])
