"""Three sentences that a manager can read: how much was seen, whether words were kept, what changes cost. Pure."""

from datetime import datetime

from cardtrail.services.report.model import ProviderLine
from cardtrail.services.report.report import Report
from cardtrail.services.report.statistics import FEW
from cardtrail.services.report.wording import counted, interval, percent, spoken


def sentences(report: Report) -> tuple[str, ...]:
    """What was looked at and could be had; which claims held; what broke, with what notice, and for how long."""
    return _seen(report), _kept(report), _broke(report)


def _seen(report: Report) -> str:
    since, until = (f"{datetime.fromisoformat(at):%-d %B %Y}" for at in (report.since, report.until))
    agents = sum(one.agents for one in report.providers)
    who = f"{counted(agents, 'agent')} of {counted(len(report.providers), 'provider')}"
    when = f"On {since}" if since == until else f"From {since} to {until}"
    told = f"{when}, {who} {'was' if agents == 1 else 'were'} watched"
    lines = [one for one in report.availability if one.agent]
    observed, available = sum(one.observed_s for one in lines), sum(one.available_s for one in lines)
    if not observed:
        return f"{told}, and no card was looked at."
    down, longest = sum(one.outages for one in lines), max(one.longest_s for one in lines)
    outages = f"; {counted(down, 'outage')}, the longest {spoken(longest)}" if down else ", without an outage"
    return f"{told}: a usable card could be had in {percent(available / observed)} of the time observed{outages}."


def _kept(report: Report) -> str:
    held, tried = (sum(getattr(one.kept, part) for one in report.providers) for part in ("held", "tried"))
    if not tried:
        return "No claim was tried, so whether the cards keep their word is not known."
    told = f"Of {counted(tried, 'claim-day')} on which a claim was tried, it held on {percent(held / tried)}"
    sure = [one for one in report.providers if not one.kept.few]
    few = len(report.providers) - len(sure)
    unsure = f"; {counted(few, 'provider')} had too few to say" if few else ""
    if not sure:
        return f"{told}; for no provider are these enough to say more."
    if len(sure) == 1:
        return f"{told}: for {sure[0].provider} that is {_ends(sure[0])} of its agents' claims{unsure}."
    most, least = (
        f"{one.provider} {how} ({_ends(one)})" for one, how in ((sure[0], "surely kept most"), (sure[-1], "least"))
    )
    return f"{told}: {most}, {least}{unsure}."


def _broke(report: Report) -> str:
    changes, breaks = (sum(getattr(one, part).count for one in report.providers) for part in ("changes", "breaks"))
    told = f"There {'was' if changes == 1 else 'were'} {counted(changes, 'distinct change')} of cards"
    if not breaks:
        return f"{told}, and none broke a workflow."
    given = {one.notice: one.share.held for one in report.notice_shares}
    notice = (
        f"; of {counted(sum(given.values()), 'break')} by a card, {given['before']} had a sign beforehand and "
        f"{given['never']} none at all"
        if sum(given.values())
        else ""
    )
    standing = sum(one.standing for one in report.recovery if one.agent)
    half = next((point.at_s for point in report.curve if point.share <= 1 / 2), None)
    times = sum(one.breaks for one in report.recovery if one.agent)
    return f"{told} and {counted(breaks, 'distinct break')} of a workflow{notice}{_mended(times, standing, half)}."


def _mended(times: int, standing: int, half: float | None) -> str:
    """How soon breaks ended; here each time counts, which may be more than the distinct ones."""
    if standing == times:
        return "; none was mended by its provider so far"
    if times == 1:
        return f"; it was mended within {spoken(half)}" if half is not None else ""
    told = f"half were mended within {spoken(half)}" if half is not None else "less than half were mended"
    few = ", too few to say how it goes on" if times < FEW else ""
    left = f", {standing} not by the provider or not yet" if standing else ""
    return f"; of {times:,} times that one broke, {told}{left}{few}"


def _ends(line: ProviderLine) -> str:
    return interval(line.kept.low, line.kept.high)
