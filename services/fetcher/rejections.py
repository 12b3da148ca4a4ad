"""Refused cards counted by stage and reason, and when there are too many of a kind: failures that nobody else would see.

`rejections` (stage, reason): `counts`, how many in each quarter of an hour, by its start in seconds since 1970, two days of them.
A spike is judged when it is read: what a window holds against what such a window usually held in the baseline before it. Pure.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta

from cardtrail.events.card_refused import CardRefused
from cardtrail.events.model.value import Value
from cardtrail.projections.projection import Key, Row, Rows
from cardtrail.services.discovery_settings import SpikeSettings

REJECTIONS = "rejections"
SLOT_S = 900
KEPT_S = 2 * 86_400


class Spike(Value):
    """Too many refusals of one kind: `count` within the window, `usual` what such a window held before, on average."""

    stage: str
    reason: str
    count: int
    usual: float
    window_s: int

    def told(self) -> str:
        """The spike in one line for an operator."""
        within = timedelta(seconds=self.window_s)
        return f"{self.count} looks refused ({self.stage}: {self.reason}) within {within}, usually {self.usual:.1f}"


def counted(event: CardRefused, at: datetime, rows: Rows) -> None:
    """One more refusal, in the quarter of an hour in which the log took it."""
    key, slot = (event.stage, event.reason), _slot(at)
    held = (rows.get(REJECTIONS, key) or {"counts": {}})["counts"]
    counts = {name: count for name, count in held.items() if int(name) > slot - KEPT_S}
    counts[str(slot)] = counts.get(str(slot), 0) + 1
    rows.put(REJECTIONS, key, {"counts": counts})


def spikes(rows: Mapping[Key, Row], settings: SpikeSettings, now: datetime) -> tuple[Spike, ...]:
    """The kinds of refusal that are a spike now, the largest first."""
    found = (_spike(key, row["counts"], settings, _slot(now)) for key, row in rows.items())
    return tuple(sorted((one for one in found if one is not None), key=lambda one: (-one.count, one.stage, one.reason)))


def _spike(key: Key, counts: Mapping[str, int], settings: SpikeSettings, last: int) -> Spike | None:
    begins = last + SLOT_S - settings.window
    count = sum(number for slot, number in counts.items() if int(slot) >= begins)
    before = sum(number for slot, number in counts.items() if begins - settings.baseline <= int(slot) < begins)
    usual = before * settings.window / settings.baseline
    if count < settings.least or count < settings.factor * usual:
        return None
    return Spike(stage=key[0], reason=key[1], count=count, usual=round(usual, 2), window_s=settings.window)


def _slot(at: datetime) -> int:
    return int(at.timestamp()) // SLOT_S * SLOT_S
