"""The agents that changed most, as lanes: which value a capability had when, and where it is not known. Pure."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime

from cardtrail.services.report.changes import in_period
from cardtrail.services.report.fleet import Fleet
from cardtrail.services.report.material import Material
from cardtrail.services.report.model import Bar, Lane, Trail
from cardtrail.services.report.rows import Span

AGENTS, LANES = 3, 8
_TINTS = 6
_LOST = {"unreadable", "untracked"}
_VALUE = 80


def most_changed(held: Material, fleet: Fleet) -> dict[str, int]:
    """The agents with most distinct changes in the period, most first, with how many."""
    keys = {(change.agent, change.key) for change in in_period(held) if change.agent in fleet}
    counted = Counter(agent for agent, _ in keys)
    return dict(sorted(counted.items(), key=lambda one: (-one[1], one[0]))[:AGENTS])


def trails(held: Material, fleet: Fleet, changed: dict[str, int], spans: Sequence[Span]) -> tuple[Trail, ...]:
    """A picture for each of these agents, of the capabilities that moved in the period."""
    by_place: dict[str, dict[str, list[Span]]] = defaultdict(lambda: defaultdict(list))
    for span in spans:
        if span.ended_by is None or span.ended_by > held.since:
            by_place[span.agent][span.capability].append(span)
    return tuple(
        _trail(held, fleet.provider_of[agent], agent, count, by_place[agent]) for agent, count in changed.items()
    )


def _trail(held: Material, provider: str, agent: str, changes: int, lanes: dict[str, list[Span]]) -> Trail:
    moved = {
        name: spans for name, spans in lanes.items() if len({span.value for span in spans}) > 1 or spans[-1].ended_by
    }
    ordered = sorted(moved, key=lambda name: (-len(moved[name]), name))
    shown = tuple(_lane(held, name, moved[name]) for name in sorted(ordered[:LANES]))
    return Trail(provider=provider, agent=agent, changes=changes, lanes=shown, more=max(len(moved) - LANES, 0))


def _lane(held: Material, capability: str, spans: list[Span]) -> Lane:
    tints: dict[str, int] = {}
    for span in spans:
        tints.setdefault(span.value, len(tints) % _TINTS)
    bars = tuple(bar for place, span in enumerate(spans) for bar in _bars(held, span, spans[place + 1 :], tints))
    told = "; ".join(f"{_short(span.value)} from {_day(span.first_seen)}" for span in spans[:6])
    more = f"; {len(spans) - 6} more" if len(spans) > 6 else ""  # noqa: PLR2004 — as many as are told
    return Lane(capability=capability, bars=bars, summary=f"{told}{more}")


def _bars(held: Material, span: Span, behind: list[Span], tints: dict[str, int]) -> Iterator[Bar]:
    """The value while it was seen, then the window in which it went, then what is not known."""
    title, tint = f"{_short(span.value)}, seen from {_at(span.first_seen)}", tints[span.value]
    if span.ended_by is None:
        yield _bar(held, "held", span.first_seen, held.ended, tint, f"{title} on")
        return
    last = max(span.last_confirmed or span.first_seen, span.first_seen)
    yield _bar(held, "held", span.first_seen, last, tint, f"{title} to {_at(last)}")
    yield _bar(held, "unsure", last, span.ended_by, tint, f"{span.ending} between {_at(last)} and {_at(span.ended_by)}")
    if span.ending in _LOST:
        until = behind[0].first_seen if behind else held.ended
        yield _bar(held, "unknown", span.ended_by, until, 0, f"{span.ending}: unknown until {_at(until)}")


def _bar(held: Material, kind: str, start: datetime, end: datetime, tint: int, title: str) -> Bar:  # noqa: PLR0913, PLR0917 — a bar's members
    whole = max((held.ended - held.since).total_seconds(), 1.0)
    left, right = (min(max((at - held.since).total_seconds() / whole, 0.0), 1.0) for at in (start, end))
    told = {"kind": kind, "start": round(left, 5), "end": round(max(left, right), 5), "tint": tint, "title": title}
    return Bar.model_validate(told)


def _short(value: str) -> str:
    return value if len(value) <= _VALUE else f"{value[: _VALUE - 1]}…"


def _day(at: datetime) -> str:
    return at.strftime("%Y-%m-%d")


def _at(at: datetime) -> str:
    return at.strftime("%Y-%m-%d %H:%M")
