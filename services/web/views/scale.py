"""A stretch of time as a picture sees it: per cent along it, round ticks, what a range in an address means. Pure."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from math import ceil

from cardtrail.services.web.asked import Asked, moment, stretch

_STEPS_S = (
    *(1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200, 86_400, 172_800),
    *(604_800, 1_209_600, 2_592_000, 7_776_000, 15_552_000, 31_536_000, 63_072_000, 157_680_000),
)
_MOST_TICKS = 6
_DAY_S = 86_400
_LEAST = timedelta(seconds=10)


@dataclass(frozen=True)
class Tick:
    """A place along the stretch, per cent, and its words."""

    x: float
    text: str


@dataclass(frozen=True)
class Scale:
    """From one instant to another."""

    start: datetime
    end: datetime

    def x(self, at: str | datetime) -> float:
        """Per cent along it, 0 to 100; what lies outside is at the edge."""
        moment = datetime.fromisoformat(at) if isinstance(at, str) else at
        share = (moment - self.start) / (self.end - self.start)
        return round(min(max(share, 0.0), 1.0) * 100, 3)

    def holds(self, at: str) -> bool:
        """Whether an instant lies in it."""
        return self.start <= datetime.fromisoformat(at) <= self.end

    def ticks(self) -> tuple[Tick, ...]:
        """Round instants, six at most."""
        length = (self.end - self.start).total_seconds()
        longest = _STEPS_S[-1] * ceil(length / _STEPS_S[-1] / _MOST_TICKS)
        step = next((step for step in _STEPS_S if length / step <= _MOST_TICKS), longest)
        first = (int(self.start.timestamp()) // step + 1) * step
        at = [datetime.fromtimestamp(second, UTC) for second in range(first, int(self.end.timestamp()) + 1, step)]
        return tuple(Tick(self.x(one), _words(one, step)) for one in at)


def chosen(given: Asked, first: datetime, now: datetime) -> Scale:
    """The range in force: `from` and `until`, else the last `range` (as `7d`), else everything since `first`.

    Raises:
        UsageError: `query-invalid`.
    """
    end = moment(given.one("until")) if given.one("until") else now
    start = first
    if given.one("from"):
        start = moment(given.one("from"))
    elif given.one("range"):
        start = end - stretch(given.one("range"))
    return Scale(start, end) if end - start >= _LEAST else Scale(end - _LEAST, end)


def _words(at: datetime, step: int) -> str:
    if step >= 28 * _DAY_S:
        return at.strftime("%b %Y")
    if step >= _DAY_S:
        return at.strftime("%-d %b")
    return at.strftime("%H:%M:%S" if step < 60 else "%H:%M")  # noqa: PLR2004 — a minute
