"""What each picture shows, said in a sentence: the finding, not the axes. Pure."""

from cardtrail.services.cli.shell.text import plain
from cardtrail.services.report.model import ChangeLine, ErrorLine
from cardtrail.services.report.report import Report
from cardtrail.services.report.statistics import FEW
from cardtrail.services.report.wording import counted, interval, not_delegated, percent, rated, spoken

_NAME, _NAMED = 60, 3


def captions(report: Report) -> dict[str, str]:
    """Section → its finding."""
    return {
        "kept": _kept(report),
        "days": _days(report),
        "evidence": _evidence(report),
        "errors": _errors(report),
        "weeks": _weeks(report),
        "notice": _notice(report),
        "curve": _curve(report),
        "stops": _stops(report),
        "latency": _latency(report),
        "trails": _trails(report),
    }


def _kept(report: Report) -> str:
    sure = [one for one in report.providers if not one.kept.few]
    if not sure:
        return "No provider has enough claim-days to be compared."
    best = [one for one in sure if one.rank == sure[0].rank]
    names = _names([one.provider for one in best])
    low = min(one.kept.low or 0.0 for one in best)
    told = f"{names} kept at least {percent(low)} of what was tried, with 95 % certainty"
    apart = [one for one in sure if (one.kept.high or 1.0) < low]
    return (
        f"{told}; {counted(len(apart), 'provider')} surely kept less." if apart else f"{told}; nobody is surely worse."
    )


def _days(report: Report) -> str:
    sure = [one for one in report.availability if one.agent and not one.few and one.share is not None]
    if not sure:
        return "Nothing was observed for ten days or more."
    whole = sum(one.share == 1 for one in sure)
    last = sure[-1]
    told = f"{whole} of {counted(len(sure), 'agent')} could always be had when somebody looked"
    if last.share == 1:
        return f"{told}."
    return f"{told}; {plain(last.agent, _NAME)} least, {percent(last.share)} ({interval(last.low, last.high)}) of the time."


def _evidence(report: Report) -> str:
    lines = [one for one in report.evidence if one.agent]
    demanded, verified = sum(one.demanded_s for one in lines), sum(one.verified_s for one in lines)
    if not demanded:
        return (
            "No lock and no policy demanded that claims are verified; how often they were tried says the table above."
        )
    needed, now = sum(one.claims for one in lines), sum(one.verified for one in lines)
    told = f"Claims that workflows need were verified in time for {percent(verified / demanded)} of the time"
    return f"{told}; at the end {now} of {counted(needed, 'claim')} {'is' if now == 1 else 'are'}."


def _stops(report: Report) -> str:
    lines = [one for one in report.cost if one.agent]
    if not lines:
        return "No new delegation was stopped."
    stops, stopped, ready = (sum(getattr(one, part) for one in lines) for part in ("stops", "stopped_s", "at_hand_s"))
    share = f"for {percent(ready / stopped)} of that" if ready and stopped else "never"
    told = f"New delegations were stopped {counted(stops, 'time')}, {spoken(stopped)} in all; {share} another agent stood ready"
    known = [one for one in lines if one.delegations is not None]
    if not known:
        return f"{told}. Nobody reports calls, so how many delegations that were is not known."
    missed = not_delegated(*(sum(getattr(one, part) for one in known) for part in ("delegations", "low", "high")))
    return f"{told}. By the calls of the month before, {missed} delegations would have been made meanwhile."


def _errors(report: Report) -> str:
    known = [one for one in report.errors if one.agent and one.rate is not None]
    if not known:
        return "No calls were counted, so there is no error rate: no data is not zero errors."
    worst = next((one for one in known if one.rate and one.rate.held and not one.rate.few), None)
    calls = sum(one.rate.tried for one in known if one.rate)
    if worst is None:
        return f"In {counted(calls, 'call')}, none failed in a way that contradicts a card."
    return f"Of {counted(calls, 'call')}, those of {_operation(worst)} contradicted its card most surely."


def _operation(line: ErrorLine) -> str:
    rate = f" ({interval(line.rate.low, line.rate.high)})" if line.rate else ""
    return f"{plain(line.agent, _NAME)} by {plain(line.operation, _NAME)}{rate}"


def _weeks(report: Report) -> str:
    lines: list[ChangeLine] = [one for one in report.changes if one.agent and one.changes.count]
    if not lines:
        return "No card changed in this period."
    most = max(lines, key=lambda one: (one.changes.low or 0.0, one.changes.count, one.agent))
    told = f"{counted(len(lines), 'agent')} changed {'its' if len(lines) == 1 else 'their'} card; {plain(most.agent, _NAME)} most"
    if most.changes.per_30_days is None:
        return f"{told}, {counted(most.changes.count, 'distinct change')}; it was watched too short for a rate."
    few = ", too few to say how it goes on" if most.changes.count < FEW else ""
    return f"{told}, {rated(most.changes)} distinct changes in 30 days{few}."


def _notice(report: Report) -> str:
    if not report.notices:
        return "No change of a card broke a workflow."
    given = {one.notice: one.share for one in report.notice_shares}
    before = given["before"]
    few = ", which are too few to say how it will be" if before.few else f" ({interval(before.low, before.high)})"
    return f"{before.held} of {counted(len(report.notices), 'break')} had a sign beforehand{few}."


def _curve(report: Report) -> str:
    lines = [one for one in report.recovery if one.agent]
    if not lines:
        return "No workflow was broken by an agent in this period."
    breaks, standing = sum(one.breaks for one in lines), sum(one.standing for one in lines)
    half = next((point for point in report.curve if point.share <= 1 / 2), None)
    if breaks == 1 and half:
        return f"The one break was mended within {spoken(half.at_s)}."
    told = (
        f"Half of {counted(breaks, 'break')}, each time counted, were mended within {spoken(half.at_s)}"
        if half
        else f"Less than half of {counted(breaks, 'break')}, each time counted, were mended"
    )
    left = f"; {standing} of {breaks} {'was' if standing == 1 else 'were'} not, or not by the agent" if standing else ""
    return f"{told}{left}."


def _latency(report: Report) -> str:
    sure = [one for one in report.latency if not one.operation and not one.few]
    if not sure:
        return "There are too few answers to speak of latency."
    return f"The slowest card is that of {plain(sure[0].agent, _NAME)}: 95 of 100 answers came within {sure[0].p95_ms:,.0f} ms."


def _trails(report: Report) -> str:
    if not report.trails:
        return "No agent changed what it can do."
    names = _names([one.agent for one in report.trails])
    return f"{names} changed most. A hatched piece is a window: the change happened somewhere in it."


def _names(names: list[str]) -> str:
    """`a`, `a and b`, `a, b and c`, `a, b and 2 others`."""
    shown = [plain(name, _NAME) for name in names]
    if len(shown) > _NAMED:
        shown = [*shown[: _NAMED - 1], f"{len(shown) - _NAMED + 1} others"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
