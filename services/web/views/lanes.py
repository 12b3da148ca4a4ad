"""The timeline as a picture: a lane per capability, equal values one bar, hatched where a change must lie. Pure.

Places are per cent of the width. A lane whose value never changed within the range is quiet: it is drawn behind a fold.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from cardtrail.services.cli.shell.text import shown
from cardtrail.services.web.marks import LANES, Mark
from cardtrail.services.web.views.scale import Scale
from cardtrail.services.web.views.spans import Span, order

_TINTS = 4
_LABEL_LEAST = 8.0
_LONGEST = 80


@dataclass(frozen=True)
class Bar:
    """A stretch: `kind` is `on`, `off`, `value`, `assumed` (as last seen), `unsure` (hatched) or `unknown`; `text` fits in it."""

    x: float
    width: float
    kind: str
    tint: int
    text: str
    title: str


@dataclass(frozen=True)
class Lane:
    """One capability; `summary` says in words what the picture shows."""

    capability: str
    bars: tuple[Bar, ...]
    summary: str
    quiet: bool


@dataclass(frozen=True)
class Dot:
    """A mark in its place."""

    x: float
    tone: str
    title: str


@dataclass(frozen=True)
class MarkLane:
    """The marks of one kind."""

    name: str
    dots: tuple[Dot, ...]
    summary: str


def lanes(found: Sequence[Span], scale: Scale) -> tuple[Lane, ...]:
    """Lanes in the order of a profile; a capability without a span in the range has none."""
    by_name: dict[str, list[Span]] = {}
    for span in found:
        if _touches(span, scale):
            by_name.setdefault(span.capability, []).append(span)
    return tuple(_lane(name, by_name[name], scale) for name in sorted(by_name, key=order))


def mark_lanes(marks: Sequence[Mark], scale: Scale) -> tuple[MarkLane, ...]:
    """One lane per kind that has marks in the range."""
    inside = [mark for mark in marks if scale.holds(mark.at)]
    by_lane = {name: [mark for mark in inside if mark.lane == name] for name in LANES}
    return tuple(
        MarkLane(
            name,
            tuple(Dot(scale.x(mark.at), mark.tone, f"{mark.at} {mark.what}") for mark in held),
            f"{name}: {len(held)}, the last {held[-1].what} at {held[-1].at}",
        )
        for name, held in by_lane.items()
        if held
    )


def _touches(span: Span, scale: Scale) -> bool:
    last = span.ended_by or scale.end.isoformat()
    return scale.x(last) > 0.0 and scale.x(span.first_seen) < 100.0  # noqa: PLR2004 — per cent


def _lane(name: str, held: list[Span], scale: Scale) -> Lane:
    tints: dict[str, int] = {}
    bars: list[Bar] = []
    for place, span in enumerate(held):
        tint = tints.setdefault(_words(span), len(tints) % _TINTS)
        bars.append(_solid(span, tint, scale))
        bars.extend(_after(span, tint, held[place + 1] if place + 1 < len(held) else None, scale))
    told = "; ".join(f"{_words(span)} from {span.first_seen} to {span.ended_by or 'now'}" for span in held[-6:])
    return Lane(name, tuple(bar for bar in bars if bar.width > 0), f"{name}: {told}", quiet=len(held) == 1)


def _solid(span: Span, tint: int, scale: Scale) -> Bar:
    x, end = scale.x(span.first_seen), scale.x(span.last_seen)
    kind = {True: "on", False: "off"}.get(span.value, "value") if isinstance(span.value, bool) else "value"
    text = _words(span)
    title = f"{text}, seen from {span.first_seen} to {span.last_seen}"
    return _bar((x, max(end, x + 0.25)), kind, tint, text if end - x >= _LABEL_LEAST else "", title)


def _after(span: Span, tint: int, following: Span | None, scale: Scale) -> list[Bar]:
    """What is not known behind a span: a change somewhere in the window, then perhaps nothing until the next value."""
    seen = scale.x(span.last_seen)
    if span.ended_by is None:
        return [_bar((seen, 100.0), "assumed", tint, "", f"{_words(span)}, not looked at since {span.last_seen}")]
    end = scale.x(span.ended_by)
    title = f"{span.ending} between {span.last_seen} and {span.ended_by}"
    found = [_bar((seen, end), "unsure", 0, "", title)]
    begins = scale.x(following.first_seen) if following else 100.0
    if begins > end and span.ending in {"unreadable", "untracked"}:
        found.append(_bar((end, begins), "unknown", 0, "", f"unknown: {span.ending} from {span.ended_by}"))
    return found


def _bar(stretch: tuple[float, float], kind: str, tint: int, text: str, title: str) -> Bar:
    x, end = stretch
    return Bar(x, round(max(min(end, 100.0) - x, 0.0), 3), kind, tint, text, title)


def _words(span: Span) -> str:
    return {True: "yes", False: "no"}[span.value] if isinstance(span.value, bool) else shown(span.value, _LONGEST)
