"""How reliable a share or a count is: a provider's share weighs its agents equally, a rate goes by the days watched. Pure."""

from collections.abc import Iterable
from statistics import fmean

from cardtrail.projections.intervals import effective, poisson, wilson
from cardtrail.services.report.model import Rate, Share
from cardtrail.services.report.statistics import FEW, SHORT_DAYS

_DAYS = 30
_DIGITS = 6


def share_of(tries: Iterable[tuple[int, int]]) -> Share:
    """(held, tried) of each agent; one that tried nothing weighs nothing."""
    known = [(held, tried) for held, tried in tries if tried]
    worth = effective([tried for _, tried in known])
    held, tried = sum(each for each, _ in known), sum(each for _, each in known)
    if not known:
        return Share(held=0, tried=0, worth=0, share=None, low=None, high=None, few=True)
    mean = fmean(each / of for each, of in known)
    low, high = wilson(mean * worth, worth)
    return Share(
        held=held,
        tried=tried,
        worth=rounded(worth),
        share=rounded(mean),
        low=rounded(low),
        high=rounded(high),
        few=worth < FEW,
    )


def pooled(held: int, tried: int) -> Share:
    """One share of one whole."""
    return share_of([(held, tried)])


def rate_of(count: int, days: float) -> Rate:
    """A count over the days in which it could have come; under a day of watching there is no rate."""
    if days < SHORT_DAYS:
        return Rate(count=count, days=rounded(max(days, 0.0)), per_30_days=None, low=None, high=None)
    low, high = (rounded(_DAYS * bound / days) for bound in poisson(count))
    return Rate(count=count, days=rounded(days), per_30_days=rounded(_DAYS * count / days), low=low, high=high)


def rounded(value: float) -> float:
    """To six digits behind the point: what is beyond says nothing, and differs between machines."""
    return round(value, _DIGITS)
