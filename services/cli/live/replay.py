"""Every projection beside its rebuild from the log, and the rebuilt one put in force where that is asked for."""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import monotonic

from cardtrail.events.errors import Unreachable, UsageError
from cardtrail.projections import PROJECTIONS
from cardtrail.projections.projection import Projection
from cardtrail.projections.together import kept_in
from cardtrail.services.archive import NAME, home
from cardtrail.services.cli.live.directory import directory
from cardtrail.services.cli.live.progress import Say, watched
from cardtrail.services.cli.live.tracker import Tracker
from cardtrail.services.cli.outputs.replay import Replayed, ReplayOutput
from cardtrail.services.cli.shell.near import near
from cardtrail.services.rebuild import Compared, verify_archive, verify_bucket
from cardtrail.services.repair import repair_archive, repair_bucket


async def replay(
    tracker: Tracker, named: Sequence[str], principal: str | None, say: Say, *, repair: bool
) -> ReplayOutput:
    """All projections or those named, for all principals or one.

    Raises:
        UsageError: `projection-unknown`, `principal-unknown`, `projector-running`. Unreachable: the archive was named and
            its owner does not answer.
    """
    started = monotonic()
    skipped: list[str] = []
    pairs = [(each, who) for each in _chosen(named) for who in await _principals(tracker, principal)]
    found = [await _bucket(tracker, each, who, say, repair=repair) for each, who in pairs]
    if not named or NAME in named:
        try:
            found.append(await _archive(tracker, say, repair=repair))
        except Unreachable as away:
            if NAME in named:
                raise
            skipped.append(f"{NAME}: {away.message}")
    seconds = round(monotonic() - started, 3)
    return ReplayOutput(format="cardtrail.replay/1", seconds=seconds, results=tuple(found), skipped=tuple(skipped))


def _chosen(named: Sequence[str]) -> list[Projection]:
    every = {each.fold.name: each for each in kept_in("kv", PROJECTIONS)}
    for name in named:
        if name not in {*every, NAME}:
            raise UsageError("projection-unknown", f'"{name}" is no projection', hint=near(name, {*every, NAME}))
    return [each for name, each in every.items() if not named or name in named]


async def _principals(tracker: Tracker, principal: str | None) -> Sequence[str]:
    known = (await directory(tracker.bus)).principals()
    if principal is not None and principal not in known:
        raise UsageError("principal-unknown", f'"{principal}" has neither agent nor lock', hint=near(principal, known))
    return known if principal is None else (principal,)


async def _bucket(tracker: Tracker, each: Projection, who: str, say: Say, *, repair: bool) -> Replayed:
    async with watched(f"{each.fold.name}/{who}", tracker.log.last, say) as seen:
        compared = await verify_bucket(tracker.bus, each.fold, who, seen=seen)
    found = _replayed(tracker, compared, in_kv=True)
    if not repair or (found.same and not found.behind):
        return found
    async with watched(f"repairing {each.fold.name}/{who}", tracker.log.last, say) as seen:
        changed = await repair_bucket(tracker.bus, each.fold, who, seen)
    return found.model_copy(update={"repaired": True, "changed": changed, "facts": seen.position, "behind": 0})


async def _archive(tracker: Tracker, say: Say, *, repair: bool) -> Replayed:
    if repair:
        async with watched(f"growing {NAME} anew", tracker.log.last, say) as seen:
            await repair_archive(tracker.bus, home(tracker.settings.broker.data), seen)
        compared = Compared(NAME, "all", seen.position, seen.position, "", "")
        return _replayed(tracker, compared, in_kv=False).model_copy(update={"repaired": True})
    with tempfile.TemporaryDirectory(prefix="cardtrail-replay-") as folder:
        async with watched(NAME, tracker.log.last, say) as seen:
            return _replayed(tracker, await verify_archive(tracker.bus, Path(folder), seen=seen), in_kv=False)


def _replayed(tracker: Tracker, one: Compared, *, in_kv: bool) -> Replayed:
    return Replayed(
        **one._asdict(),
        kept_in="kv" if in_kv else "duckdb",
        behind=max(tracker.log.end - one.facts, 0),
        same=one.live == one.rebuilt,
        repaired=False,
        changed=None,
    )
