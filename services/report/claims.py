"""Whether claims hold when they are tried, by probes and by real calls, and how often calls fail that a claim allows. Pure."""

from collections import defaultdict

from cardtrail.services.report.fleet import Fleet, surest_first
from cardtrail.services.report.material import Material
from cardtrail.services.report.model import ClaimLine, ErrorLine
from cardtrail.services.report.rows import Failing
from cardtrail.services.report.shares import pooled, share_of

Days = dict[str, dict[str, dict[str, int]]]


def claims(held: Material, fleet: Fleet) -> tuple[ClaimLine, ...]:
    """A line for each kind of claim of an agent, and over all kinds; the same for a provider, its agents weighing the same."""
    days = _days(held)
    kinds = ["", *sorted({row.claim for row in held.claims if row.agent in fleet})]
    lines: list[ClaimLine] = []
    for kind in kinds:

        def line(provider: str, agent: str, about: list[str], kind: str = kind) -> ClaimLine | None:
            counted = [_outcomes(days[name], kind) for name in about]
            if not any(sum(each) for each in counted):
                return None
            kept = share_of([(good, good + bad) for good, bad, _ in counted])
            unclear = sum(each for _, _, each in counted)
            return ClaimLine(provider=provider, agent=agent, claim=kind, kept=kept, inconclusive=unclear)

        lines += surest_first(fleet.lines(line), lambda one: one.kept.low, lambda one: one.kept.few)
    return tuple(lines)


def errors(held: Material, fleet: Fleet) -> tuple[ErrorLine, ...]:
    """A line for each operation of an agent; a provider's calls are pooled. Surely worst first in each operation."""
    rows: dict[tuple[str, str], Failing] = {(row.agent, row.operation): row for row in held.errors}
    lines: list[ErrorLine] = []
    for operation in sorted({row.operation for row in held.errors}):

        def line(provider: str, agent: str, about: list[str], operation: str = operation) -> ErrorLine | None:
            found = [rows[name, operation] for name in about if (name, operation) in rows]
            if not found:
                return None
            counted = [row for row in found if row.calls]
            calls = sum(row.calls or 0 for row in counted)
            bad = sum(min(row.contradicting, row.calls or 0) for row in counted)
            return ErrorLine(
                provider=provider,
                agent=agent,
                operation=operation,
                rate=pooled(bad, calls) if calls else None,
                contradicting=sum(row.contradicting for row in found),
                apart=sum(row.apart for row in found),
                errors=sum(row.errors for row in found),
            )

        lines += surest_first(fleet.lines(line), _low, lambda one: one.rate is None or one.rate.few)
    return tuple(lines)


def _low(line: ErrorLine) -> float | None:
    return line.rate.low if line.rate else None


def _days(held: Material) -> Days:
    """Agent → claim → outcome → claim-days; the claim "" is all of them."""
    days: Days = defaultdict(lambda: defaultdict(lambda: defaultdict(int)))
    for row in held.claims:
        for kind in ("", row.claim):
            days[row.agent][kind][row.outcome] += row.days
    return days


def _outcomes(days: dict[str, dict[str, int]], kind: str) -> tuple[int, int, int]:
    counted = days[kind]
    return counted["held"], counted["contradicted"], counted["inconclusive"]
