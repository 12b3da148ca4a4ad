"""`cardtrail replay --json`."""

from typing import Literal

from cardtrail.events.model.value import Value
from cardtrail.services.cli.outputs.what_if import WhatIfOutput


class Replayed(Value):
    """A projection beside its rebuild from the log: digests of both contents.

    `facts` is the sequence both stand at, `behind` how many the log has beyond it; `first_difference` names table and key;
    `repaired` says that the rebuilt one is in force now, `changed` how many keys that took (null where it was swapped in whole).
    """

    projection: str
    principal: str
    kept_in: Literal["kv", "duckdb"]
    facts: int
    behind: int
    rows: int
    live: str
    rebuilt: str
    same: bool
    first_difference: str
    repaired: bool
    changed: int | None


class Derived(Value):
    """Decisions judged again from the log: how many were told by our rules, `others` by other rules (not comparable).

    `pending` follow from the log's end and are not told yet; `first_difference` names the first that is not as it follows.
    """

    decisions: int
    others: int
    pending: int
    same: bool
    first_difference: str
    seconds: float


class ReplayOutput(Value):
    """`cardtrail replay --json`; `seconds` for all of it. The exit code is 1 where one differs and was not repaired.

    `derived` is there with `--verify`.
    """

    format: Literal["cardtrail.replay/1"]
    seconds: float
    results: tuple[Replayed, ...]
    skipped: tuple[str, ...]
    derived: Derived | None = None


class HeldBack(Value):
    """A fold that held facts back: how many `before` they were tried again and `now`; `tried` false: it did not come to it."""

    service: str
    fold: str
    before: int
    now: int
    tried: bool


class ParkedOutput(Value):
    """`cardtrail replay --parked --json`; `silent` are services that do not answer.

    The exit code is 1 where one is silent, or anything is still held back.
    """

    format: Literal["cardtrail.replay-parked/1"]
    folds: tuple[HeldBack, ...]
    silent: tuple[str, ...]


OUTPUTS: tuple[type[Value], ...] = (ReplayOutput, WhatIfOutput, ParkedOutput)
