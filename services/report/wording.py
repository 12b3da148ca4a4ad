"""Numbers as people read them: shares with their interval, lengths of time, counts. Pure; the same in HTML and Markdown."""

from cardtrail.services.cli.live.when import long_span
from cardtrail.services.report.model import AvailabilityLine, CostLine, NoticeLine, Rate, Share

_WHOLE, _NEARLY = 1.0, 0.9995
NONE = "–"


def percent(share: float | None) -> str:
    """`98.6 %`; never rounded up to 100 % or down to 0 %."""
    if share is None:
        return NONE
    if share in {0.0, _WHOLE}:
        return f"{share:.0%}".replace("%", " %")
    if share >= _NEARLY:
        return "> 99.9 %"
    if share < 1 - _NEARLY:
        return "< 0.1 %"
    return f"{100 * share:.1f} %"


def interval(low: float | None, high: float | None) -> str:
    """`83.9–100 %`."""
    if low is None or high is None:
        return NONE
    return f"{_bare(low)}–{_bare(high)} %"


def shared(share: Share) -> str:
    """`95.2 % (83.9–98.7 %)`, or that there are too few."""
    if share.share is None:
        return NONE
    told = f"{percent(share.share)} ({interval(share.low, share.high)})"
    return f"{told}, too few" if share.few else told


def rated(rate: Rate) -> str:
    """`1.3 (0.4–3.0)` per 30 days, or that it was watched too short."""
    middle = rate_middle(rate)
    return middle if rate.per_30_days is None else f"{middle} ({rate_ends(rate)})"


def rate_ends(rate: Rate) -> str:
    """`0.4–3.0`; nothing where there is no rate."""
    return "" if rate.high is None or rate.low is None else f"{_number(rate.low)}–{_number(rate.high)}"


def rate_middle(rate: Rate) -> str:
    """`1.3`, `watched too short`."""
    if rate.per_30_days is None:
        return "watched too short" if rate.days else NONE
    return _number(rate.per_30_days)


def watched(days: float) -> str:
    """`30`, and `< 1` where that would be none."""
    return "< 1" if 0 < days < 1 else f"{days:.0f}"


def lasting(length_s: float | None) -> str:
    """`27 m 31 s`."""
    return NONE if length_s is None else long_span(length_s)


def available(line: AvailabilityLine) -> str:
    """A share of time with its interval; without an outage there is none to tell."""
    few = ", too few days" if line.few else ""
    if line.share is None:
        return NONE
    return f"{percent(line.share)} ({interval(line.low, line.high) if line.outages else 'no outage seen'}){few}"


def noticed(line: NoticeLine) -> str:
    """`3 d 18 h to 5 d 12 h before`, as far as the ends are known."""
    if line.notice not in {"before", "after"}:
        return line.notice
    least, most = (
        sorted((line.low_s, line.high_s), key=lambda end: abs(end or 0))
        if line.notice == "after"
        else (line.low_s, line.high_s)
    )
    if least is None or most is None:
        known = least if most is None else most
        return f"{'at least' if most is None else 'at most'} {lasting(abs(known or 0))} {line.notice}"
    return f"{lasting(abs(least))} to {lasting(abs(most))} {line.notice}"


def at_hand(line: CostLine) -> str:
    """How much of a stop another agent stood ready: `12.0 %`, `never`."""
    return percent(line.at_hand_s / line.stopped_s) if line.at_hand_s and line.stopped_s else "never"


def not_delegated(counted_: float | None, low: float | None, high: float | None) -> str:
    """`about 41 (30–55)`; without reported calls nobody knows."""
    if counted_ is None or low is None or high is None:
        return "not known"
    return f"about {counted_:,.0f} ({low:,.0f}–{high:,.0f})"


def spoken(length_s: float) -> str:
    """A length of time as one says it: `2 days`, `18 hours`, `40 minutes`."""
    for size, unit in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if length_s >= size:
            return counted(round(length_s / size), unit)
    return counted(round(length_s), "second")


def counted(count: int, one: str, many: str = "") -> str:
    """`1 change`, `1,204 changes`."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def milliseconds(value: float | None) -> str:
    """`87 ms`."""
    return NONE if value is None else f"{value:,.0f} ms" if value >= 10 else f"{value:.1f} ms"  # noqa: PLR2004 — two digits


def _bare(share: float) -> str:
    return percent(share).removesuffix(" %")


def _number(value: float) -> str:
    if value == 0:
        return "0"
    return f"{value:.2f}" if value < 1 else f"{value:.1f}" if value < 100 else f"{value:,.0f}"  # noqa: PLR2004 — three digits
