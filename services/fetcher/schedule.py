"""When to look next: interval, jitter, back-off, one host's pace. Pure: instants in, instants out."""

from datetime import datetime, timedelta

from cardtrail.events.card_fetched import Freshness
from cardtrail.services.fetcher.freshness import remaining_s
from cardtrail.services.jitter import fraction

FIRST_RETRY_S = 60
HOST_GAP_S = 0.25
_JITTER = 0.1
_LONGEST_WAIT_S = 7 * 86_400
_LONGEST_STRETCH = 2
_MOST_DOUBLINGS = 30


def next_look(now: datetime, interval_s: int, held: Freshness, agent: str, look: int) -> datetime:
    """After an answer: one interval on, up to a tenth later by jitter.

    A server that vouches for longer stretches the interval, at most to twice its length: no `max-age` may blind us.
    """
    wait = max(interval_s, min(remaining_s(held), _LONGEST_STRETCH * interval_s))
    return now + timedelta(seconds=wait * (1 + _JITTER * fraction(agent, look)))


def next_try(  # noqa: PLR0913 — what went wrong how often, and within which bounds
    now: datetime, failures: int, agent: str, *, cap_s: int, interval_s: int, retry_after_s: int | None = None
) -> datetime:
    """After a refusal: doubling from a minute (or the interval, where that is shorter) to the cap, up to halved by jitter.

    Never before `Retry-After`, which counts up to a week.
    """
    base = min(FIRST_RETRY_S, interval_s)
    wait = min(base * 2 ** min(max(failures - 1, 0), _MOST_DOUBLINGS), max(cap_s, base))
    jittered = wait * (0.5 + 0.5 * fraction(agent, failures))
    asked = min(retry_after_s or 0, _LONGEST_WAIT_S)
    return now + timedelta(seconds=max(jittered, asked * (1 + _JITTER * fraction(agent, failures))))


def paced(wanted: datetime, last_on_host: datetime | None, gap_s: float = HOST_GAP_S) -> datetime:
    """The first instant at which this host may be asked again, `gap_s` seconds after the look before."""
    return wanted if last_on_host is None else max(wanted, last_on_host + timedelta(seconds=gap_s))
