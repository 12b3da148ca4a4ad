"""How often cards change, how often that breaks a workflow, and how soon it was seen. Pure."""

from collections import Counter, defaultdict
from datetime import timedelta

from cardtrail.services.report.fleet import Fleet, grouped
from cardtrail.services.report.material import Material
from cardtrail.services.report.model import ChangeLine, DetectionLine, WeekPoint
from cardtrail.services.report.rows import Changed
from cardtrail.services.report.shares import rate_of
from cardtrail.services.report.statistics import FEW, quantile

_DAY_S = 86_400


def changes(held: Material, fleet: Fleet) -> tuple[ChangeLine, ...]:
    """Distinct changes per agent-day watched: a change and its taking back are one, however often. Surely worst first."""
    keys: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for change in in_period(held):
        keys[change.agent]["all"].add(change.key)
        keys[change.agent][change.verdict or ""].add(change.key)
    for broken in held.breaks:
        if broken.broken_at >= held.since:
            keys[broken.agent]["broken"].add(broken.key)

    def line(provider: str, agent: str, about: list[str]) -> ChangeLine | None:
        days = sum(held.watched_s.get(name, 0) for name in about) / _DAY_S
        counted = {what: sum(len(keys[name][what]) for name in about) for what in ("all", "review", "broken")}
        return ChangeLine(
            provider=provider,
            agent=agent,
            changes=rate_of(counted["all"], days),
            reviews=rate_of(counted["review"], days),
            breaks=rate_of(counted["broken"], days),
        )

    return grouped(fleet.lines(line), lambda one: (-(one.breaks.low or 0), -(one.changes.low or 0)))


def weeks(held: Material, fleet: Fleet) -> tuple[WeekPoint, ...]:
    """Changes by week (Monday) and by what they meant; each time counts here."""
    counted: Counter[tuple[str, str]] = Counter()
    for change in in_period(held):
        if change.agent in fleet:
            seen = change.first_seen.date()
            counted[(seen - timedelta(days=seen.weekday())).isoformat(), change.verdict or "unjudged"] += 1
    return tuple(WeekPoint(week=week, verdict=verdict, changes=n) for (week, verdict), n in sorted(counted.items()))


def detection(held: Material, fleet: Fleet) -> tuple[DetectionLine, ...]:
    """The windows in which changes happened: at worst it took so long to see them."""
    widths: dict[str, list[int]] = defaultdict(list)
    for change in in_period(held):
        if change.after is not None:
            widths[change.agent].append(int((change.first_seen - change.after).total_seconds()))

    def line(provider: str, agent: str, about: list[str]) -> DetectionLine | None:
        found = [width for name in about for width in widths[name]]
        if not found:
            return None
        middle, most = quantile(found, 0.5), quantile(found, 0.95)
        return DetectionLine(
            provider=provider,
            agent=agent,
            changes=len(found),
            median_s=None if middle is None else int(middle),
            p95_s=None if most is None else int(most),
            few=len(found) < FEW,
        )

    return tuple(fleet.lines(line))


def in_period(held: Material) -> list[Changed]:
    """The changes that were first seen in the period."""
    return [change for change in held.changes if change.first_seen >= held.since]
