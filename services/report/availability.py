"""When cards could be had: shares of observed time, resampled over days, and outages. Pure."""

from collections import defaultdict
from datetime import date

from cardtrail.services.report.fleet import Fleet, surest_first
from cardtrail.services.report.material import Material
from cardtrail.services.report.model import AvailabilityLine, DayPoint
from cardtrail.services.report.rows import Day, Outage
from cardtrail.services.report.shares import rounded
from cardtrail.services.report.statistics import FEW, resampled


def availability(held: Material, fleet: Fleet) -> tuple[AvailabilityLine, ...]:
    """A line for each agent, and for a provider's agents together: their days are one sample."""
    days, outages = _by_agent(held)

    def line(provider: str, agent: str, about: list[str]) -> AvailabilityLine | None:
        summed: dict[date, list[int]] = defaultdict(lambda: [0, 0])
        for day in (day for name in about for day in days[name]):
            summed[day.day][0] += day.available_s
            summed[day.day][1] += day.observed_s
        sample = [(good, whole) for _, (good, whole) in sorted(summed.items())]
        good, whole = sum(each for each, _ in sample), sum(each for _, each in sample)
        ends = resampled(sample, f"{held.digest} {provider} {agent}")
        out = [one for name in about for one in outages[name]]
        return AvailabilityLine(
            provider=provider,
            agent=agent,
            observed_s=whole,
            available_s=good,
            share=rounded(good / whole) if whole else None,
            low=rounded(ends[0]) if ends else None,
            high=rounded(ends[1]) if ends else None,
            days=len(sample),
            few=len(sample) < FEW,
            outages=len(out),
            longest_s=max((one.down_s for one in out), default=0),
            down=any(one.up_at is None for one in out),
        )

    return surest_first(fleet.lines(line), lambda one: one.low, lambda one: one.few)


def days(held: Material, fleet: Fleet) -> tuple[DayPoint, ...]:
    """Each provider's days."""
    summed: dict[tuple[str, date], list[int]] = defaultdict(lambda: [0, 0])
    for day in held.days:
        if day.agent in fleet:
            point = summed[fleet.provider_of[day.agent], day.day]
            point[0] += day.observed_s
            point[1] += day.available_s
    return tuple(
        DayPoint(provider=provider, day=day.isoformat(), observed_s=observed, available_s=available)
        for (provider, day), (observed, available) in sorted(summed.items())
    )


def _by_agent(held: Material) -> tuple[dict[str, list[Day]], dict[str, list[Outage]]]:
    days: dict[str, list[Day]] = defaultdict(list)
    outages: dict[str, list[Outage]] = defaultdict(list)
    for day in held.days:
        days[day.agent].append(day)
    for outage in held.outages:
        outages[outage.agent].append(outage)
    return days, outages
