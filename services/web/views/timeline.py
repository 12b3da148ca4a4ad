"""The timeline of one agent: the same spans as picture and as table, and its marks. Pure."""

from datetime import datetime

from cardtrail.events.fact import instant
from cardtrail.events.model.value import Value
from cardtrail.services.web.asked import Asked
from cardtrail.services.web.marks import Mark
from cardtrail.services.web.past import Past
from cardtrail.services.web.views.lanes import Lane, MarkLane, lanes, mark_lanes
from cardtrail.services.web.views.scale import Scale, chosen
from cardtrail.services.web.views.spans import Span, spans


class TimelineView(Value):
    """The page: spans and marks that touch the range, `start` to `end` RFC 3339."""

    format: str = "cardtrail.page.timeline/1"
    agent: str
    principal: str
    through: int
    start: str
    end: str
    spans: tuple[Span, ...]
    marks: tuple[Mark, ...]


def timeline(past: Past, given: Asked, now: datetime) -> TimelineView:
    """What touches the range that is asked for.

    Raises:
        UsageError: `query-invalid`.
    """
    found = spans(past.rows, past.principal, past.agent)
    starts = [span.first_seen for span in found] + [mark.at for mark in past.marks]
    scale = chosen(given, datetime.fromisoformat(min(starts)) if starts else now, now)
    start, end = instant(scale.start), instant(scale.end)
    return TimelineView(
        agent=past.agent,
        principal=past.principal,
        through=past.through,
        start=start,
        end=end,
        spans=tuple(span for span in found if _touches(span, scale)),
        marks=tuple(mark for mark in past.marks if scale.holds(mark.at)),
    )


def picture(view: TimelineView) -> tuple[Scale, tuple[Lane, ...], tuple[MarkLane, ...]]:
    """The scale, the lanes of capabilities, the lanes of marks."""
    scale = Scale(datetime.fromisoformat(view.start), datetime.fromisoformat(view.end))
    return scale, lanes(view.spans, scale), mark_lanes(view.marks, scale)


def _touches(span: Span, scale: Scale) -> bool:
    ended = datetime.fromisoformat(span.ended_by) if span.ended_by else scale.end
    return ended >= scale.start and datetime.fromisoformat(span.first_seen) <= scale.end
