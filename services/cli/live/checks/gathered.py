"""What `doctor` has found out before anything is judged, and the words of its answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from cardtrail.events.errors import CardtrailError
from cardtrail.projections.projection import Row
from cardtrail.services.bus.bus import LogInfo
from cardtrail.services.bus.kv_crowd import Crowd
from cardtrail.services.bus.streams import Difference
from cardtrail.services.cli.live.directory import Directory, Table
from cardtrail.services.cli.outputs.doctor import Check
from cardtrail.services.settings import Settings


@dataclass(frozen=True)
class Live:
    """The tracker at work. `skew_s`: the broker's clock less ours, seconds; `health` None: no answer.

    `starting`: services that do not answer are on their way. `crowds` are the buckets that planners watch.
    `parked` is by fold, `due` by (agent, principal); `waits` maps a fold's position to the age in seconds of the fact behind it.
    """

    log: LogInfo
    skew_s: float
    differences: Sequence[Difference]
    health: Mapping[str, Mapping[str, Any] | None]
    known: Directory
    locks: Table
    parked: Mapping[str, Sequence[Row]]
    due: Table
    waits: Mapping[int, float]
    staleness_s: int
    crowds: Sequence[Crowd] = ()
    routes: Sequence[Row] = ()
    starting: bool = False


@dataclass(frozen=True)
class Gathered:
    """Everything; `live` None: the tracker cannot be reached, and `away` says why.

    `network` is the type of network file system that the data folder lies on, "" where it lies on none.
    """

    now: datetime
    settings: Settings
    problems: Sequence[str]
    expiries: Mapping[str, datetime]
    away: CardtrailError | None = None
    live: Live | None = field(default=None)
    network: str = ""


def ok(name: str, says: str) -> Check:
    """All is well."""
    return Check(name=name, level="ok", says=says, fix="")


def warning(name: str, says: str, fix: str) -> Check:
    """Somebody should look."""
    return Check(name=name, level="warning", says=says, fix=fix)


def failed(name: str, says: str, fix: str) -> Check:
    """The tracker does not do its work."""
    return Check(name=name, level="failed", says=says, fix=fix)


def some(names: Sequence[str]) -> str:
    """The first few, and how many more."""
    shown, rest = names[:3], len(names) - 3
    return ", ".join(shown) + (f" and {rest} more" if rest > 0 else "")
