"""What numbers can be trusted for: resampled shares, survival curves, quantiles. Pure; seeded where chance is used.

Sources: B. Efron, Ann. Statist. 7 (1979) 1 (bootstrap, percentile interval); E. L. Kaplan, P. Meier, JASA 53 (1958) 457 with
Greenwood's variance on the log-log scale (J. P. Klein, M. L. Moeschberger, Survival Analysis, §4.3 and §4.5). Shares and counts
have their intervals in `projections/intervals.py`.
"""

from bisect import bisect_left
from collections.abc import Sequence
from math import ceil, exp, log, sqrt
from random import Random
from typing import NamedTuple

from cardtrail.projections.intervals import TAIL, Z

FEW = 10
"""Below this many a share, rate or median says "too few"."""
SHORT_DAYS = 1.0
"""A rate per 30 days from less than this would speak of what nobody has seen."""
FEW_TIMES = 20
"""Below this many a percentile of latencies says "too few"."""
DRAWS = 500
"""Resamples behind one interval; the ends move by less than a tenth of its width from one seed to another."""
_HALF = 0.5


class Step(NamedTuple):
    """From this duration on (seconds) so large a share has not ended yet, within `low` to `high` (95 %)."""

    at: float
    share: float
    low: float
    high: float


def quantile(values: Sequence[float], share: float) -> float | None:
    """The smallest value that is not below this share of them; None without any."""
    ordered = sorted(values)
    return ordered[max(ceil(share * len(ordered)) - 1, 0)] if ordered else None


def resampled(days: Sequence[tuple[int, int]], seed: str, draws: int = DRAWS) -> tuple[float, float] | None:
    """The 95 % interval of Σ good ÷ Σ whole over days drawn again and again; None where nothing was observed.

    A day is (good, whole) in seconds.
    """
    if not sum(whole for _, whole in days):
        return None
    if all(good == whole for good, whole in days) or not any(good for good, _ in days):
        share = float(any(good for good, _ in days))
        return share, share
    chance, found = Random(seed), []  # noqa: S311 — a resample, reproducible from its seed
    for _ in range(draws):
        drawn = chance.choices(days, k=len(days))
        whole = sum(each for _, each in drawn)
        found.append(sum(good for good, _ in drawn) / whole if whole else 0.0)
    found.sort()
    return found[int(TAIL * draws)], found[ceil((1 - TAIL) * draws) - 1]


def survival(ended: Sequence[float], still: Sequence[float]) -> tuple[Step, ...]:
    """The Kaplan–Meier curve of durations that ended and of those that had not when last seen, in seconds.

    Where nothing is left the band is not known from these: it reaches from none to as many as before.
    """
    last_seen, share, spread, high = sorted([*ended, *still]), 1.0, 0.0, 1.0
    steps: list[Step] = []
    for at in sorted(set(ended)):
        at_risk = len(last_seen) - bisect_left(last_seen, at)
        ends = sum(each == at for each in ended)
        share *= 1 - ends / at_risk
        if at_risk > ends:
            spread += ends / (at_risk * (at_risk - ends))
        low, high = _band(share, spread) if share else (0.0, high)
        steps.append(Step(at, share, low, high))
    return tuple(steps)


def median_of(steps: Sequence[Step]) -> tuple[float | None, float | None, float | None]:
    """When half has ended, and the earliest and latest (95 %) at which it may be so; None: not yet."""
    middle, low, high = (
        next((step.at for step in steps if getattr(step, bound) <= _HALF), None) for bound in ("share", "low", "high")
    )
    return middle, low, high


def _band(share: float, spread: float) -> tuple[float, float]:
    width = Z * sqrt(spread) / log(share)
    return exp(log(share) * exp(-width)), exp(log(share) * exp(width))
