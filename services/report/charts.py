"""Charts as static SVG, by Altair and vl-convert where they are installed (`cardtrail[report]`): no script, nothing fetched.

Colours are the page's own (`currentColor`, its variables), so a chart follows light, dark and print. Values are inline and no
channel is a link or an image; the converter may load nothing. Ids in an SVG are made unique by the chart's name.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date, timedelta
from importlib.util import find_spec
from typing import Any

from cardtrail.services.cli.shell.text import plain
from cardtrail.services.report.model import DayPoint
from cardtrail.services.report.report import Report

_WIDTH, _ROW = 640, 24
_NAME = 40
_MOST = 24
"""Providers and breaks in one picture: more are only in the tables."""
_VERDICTS = {"breaking": "var(--bad)", "review": "var(--mind)", "compatible": "var(--good)", "unjudged": "var(--quiet)"}
_DAY_S = 86_400
_TIMES, _EACH = 2, 14
"""Up to so many days an axis says the time, or every day."""
_NAMES: Any = {"ticks": False, "domain": False, "grid": False, "minExtent": 130, "labelPadding": 8}
_UTC: Any = {"type": "utc"}
_CONFIG: dict[str, Any] = {
    "background": "transparent",
    "font": "system-ui, sans-serif",
    "view": {"stroke": None},
    "axis": {
        "labelColor": "currentColor",
        "titleColor": "currentColor",
        "titleFontWeight": "normal",
        "labelFontSize": 12,
        "titleFontSize": 12,
        "gridColor": "var(--line)",
        "domainColor": "var(--line)",
        "tickColor": "var(--line)",
        "labelLimit": 220,
        "labelOverlap": True,
        "labelSeparation": 8,
    },
    "legend": {"labelColor": "currentColor", "titleColor": "currentColor", "labelFontSize": 12, "orient": "top"},
}
Rows = list[dict[str, Any]]


def available() -> bool:
    """Whether the libraries are installed."""
    return all(find_spec(name) is not None for name in ("altair", "vl_convert"))


def drawn(report: Report) -> dict[str, str]:
    """Chart name → SVG, of what there is to draw; {} without the libraries."""
    if not available():
        return {}
    specs = {name: made(report) for name, made in _CHARTS.items()}
    return {name: _svg(name, spec) for name, spec in specs.items() if spec is not None}


def _svg(name: str, spec: Any) -> str:  # noqa: ANN401 — a chart of a library without types
    import vl_convert  # noqa: PLC0415 — only who draws pays for it

    whole = spec.properties(width=_WIDTH).to_dict() | {"config": _CONFIG}
    svg: str = vl_convert.vegalite_to_svg(whole, allowed_base_urls=[])
    ids = {old: f"{name}-{new}" for new, old in enumerate(dict.fromkeys(re.findall(r'\bid="([^"]+)"', svg)))}
    for old, new in ids.items():
        svg = svg.replace(f'id="{old}"', f'id="{new}"').replace(f"url(#{old})", f"url(#{new})")
    return svg


def _kept(report: Report) -> Any:  # noqa: ANN401 — a chart
    import altair as alt  # noqa: PLC0415 — see above

    lines = [one for one in report.providers if one.kept.share is not None][:_MOST]
    rows: Rows = [
        {
            "who": plain(one.provider, _NAME),
            "low": one.kept.low,
            "share": one.kept.share,
            "high": one.kept.high,
            "few": one.kept.few,
        }
        for one in lines
    ]
    if not rows:
        return None
    scale = alt.Scale(domain=[0, 1])
    who = alt.Y("who:N", sort=None, title=None, axis=_NAMES)
    low = alt.X(
        "low:Q",
        scale=scale,
        title="share of claim-days on which the claim held, with its 95 % interval",
        axis=alt.Axis(format="%"),
    )
    faded = alt.condition("datum.few", alt.value(0.4), alt.value(1))
    base = alt.Chart(_data(rows)).encode(y=who, opacity=faded)
    range_ = base.mark_rule(color="var(--accent)", size=3, strokeCap="round").encode(x=low, x2="high:Q")
    dot = base.mark_point(color="var(--accent)", fill="var(--paper)", size=70, strokeWidth=2.5).encode(
        x=alt.X("share:Q", scale=scale)
    )
    return (range_ + dot).properties(height=_ROW * len(rows))


def _days(report: Report) -> Any:  # noqa: ANN401 — a chart
    import altair as alt  # noqa: PLC0415 — see above

    names = [one.provider for one in report.providers][:_MOST]
    points = [one for one in report.days if one.observed_s and one.provider in names]
    if not points:
        return None
    seen = [
        {"who": plain(name, _NAME), "from": start, "to": end} for name in names for start, end in _runs(points, name)
    ]
    gone: Rows = [
        {
            "who": plain(one.provider, _NAME),
            "from": one.day,
            "to": _next(one.day),
            "gone": (1 - one.available_s / one.observed_s) ** 0.5,
        }
        for one in points
        if one.available_s < one.observed_s
    ]
    from_ = alt.X("from:T", title=None, scale=_UTC, axis=alt.Axis(grid=False, **_ticks({one.day for one in points})))
    who = alt.Y("who:N", sort=[plain(name, _NAME) for name in names], title=None, axis=_NAMES)
    base = alt.Chart(_data(seen)).mark_bar(color="var(--cell)", height=16).encode(x=from_, x2="to:T", y=who)
    strength = alt.Opacity("gone:Q", scale=alt.Scale(domain=[0, 1], range=[0.15, 1]), legend=None)
    cells = (
        alt.Chart(_data(gone))
        .mark_bar(color="var(--bad)", height=16)
        .encode(x=from_, x2="to:T", y=who, opacity=strength)
    )
    return (base + cells).properties(height=_ROW * len(names))


def _weeks(report: Report) -> Any:  # noqa: ANN401 — a chart
    import altair as alt  # noqa: PLC0415 — see above

    rows: Rows = [
        {"week": one.week, "verdict": one.verdict, "n": one.changes, "place": list(_VERDICTS).index(one.verdict)}
        for one in report.weeks
    ]
    if not rows:
        return None
    weeks = sorted({one.week for one in report.weeks})
    colours = alt.Scale(domain=list(_VERDICTS), range=list(_VERDICTS.values()))
    return (
        alt.Chart(_data(rows))
        .mark_bar(size=14)
        .encode(
            x=alt.X(
                "week:T",
                title="week from",
                scale=_UTC,
                axis=alt.Axis(format="%-d %b", grid=False, values=weeks, labelOverlap=True),
            ),
            y=alt.Y("n:Q", title="changes, each time counted", axis=alt.Axis(tickMinStep=1)),
            color=alt.Color("verdict:N", scale=colours, legend=alt.Legend(title=None)),
            order=alt.Order("place:Q"),
        )
        .properties(height=140)
    )


def _curve(report: Report) -> Any:  # noqa: ANN401 — a chart
    import altair as alt  # noqa: PLC0415 — see above

    if not report.curve:
        return None
    start = {"at": 0.0, "share": 1.0, "low": 1.0, "high": 1.0}
    rows: Rows = [
        start,
        *({"at": one.at_s / _DAY_S, "share": one.share, "low": one.low, "high": one.high} for one in report.curve),
    ]
    base = alt.Chart(_data(rows)).encode(x=alt.X("at:Q", title="days since the break"))
    scale = alt.Scale(domain=[0, 1])
    band = base.mark_area(interpolate="step-after", color="var(--accent)", opacity=0.15).encode(
        y=alt.Y("low:Q", scale=scale, title="share still broken", axis=alt.Axis(format="%")), y2="high:Q"
    )
    line = base.mark_line(interpolate="step-after", color="var(--accent)", strokeWidth=2.5).encode(
        y=alt.Y("share:Q", scale=scale)
    )
    return (band + line).properties(height=180)


def _runs(points: Sequence[DayPoint], name: str) -> Iterator[tuple[str, str]]:
    """Days in a row on which a provider was observed, as (first, the day behind the last)."""
    first = last = ""
    for day in (one.day for one in points if one.provider == name):
        if day != last and first:
            yield first, last
        first, last = (first if day == last else day), _next(day)
    if first:
        yield first, last


def _ticks(days: set[str]) -> dict[str, Any]:
    """Times of day where there are two days at most, each day where they are few: no date is said twice."""
    if len(days) <= _TIMES:
        return {"format": "%-d %b %H:%M"}
    return {"format": "%-d %b"} | ({"values": sorted(days)} if len(days) <= _EACH else {})


def _next(day: str) -> str:
    return (date.fromisoformat(day) + timedelta(days=1)).isoformat()


def _data(rows: Sequence[dict[str, Any]]) -> Any:  # noqa: ANN401 — see above
    import altair as alt  # noqa: PLC0415 — see above

    return alt.Data(values=list(rows))  # type: ignore[no-untyped-call]


_CHARTS: dict[str, Callable[[Report], Any]] = {"kept": _kept, "days": _days, "weeks": _weeks, "curve": _curve}
