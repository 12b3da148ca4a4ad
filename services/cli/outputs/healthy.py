"""`cardtrail healthy SERVICE --json`."""

from typing import Literal

from cardtrail.events.model.value import Value


class FoldHealth(Value):
    """One fold: committed up to `position` of the stream it `follows` (facts or reports), `pending` to come, rows parked.

    `told` counts the facts it told, `silent_s` the seconds without a sign of life; `failing` says why what it keeps is behind.
    """

    position: int
    pending: int
    parked: int
    told: int
    follows: str
    silent_s: float
    failing: str = ""


class HealthyOutput(Value):
    """One service; `healthy` is what the exit code says. Facts `waiting` on disk for the broker, or `refused` by it for ever.

    `process` (host:pid) tells several of one service apart. `waits`: no instance of it that answers is at work; each waits for
    a place that another has, or had a moment ago. `alarms` are what an operator should know although the service lives.
    """

    format: Literal["cardtrail.healthy/1"]
    healthy: bool
    service: str
    process: str
    waits: bool
    connected: bool
    waiting: int
    refused: int
    alarms: tuple[str, ...]
    folds: dict[str, FoldHealth]


OUTPUTS: tuple[type[Value], ...] = (HealthyOutput,)
