"""The sections of the report in Markdown: what each is called, its finding, and the table below."""

from collections.abc import Iterator

from cardtrail.services.cli.formats.markdown import span
from cardtrail.services.report.markdown_table import section, table, who
from cardtrail.services.report.report import Report
from cardtrail.services.report.wording import (
    at_hand,
    available,
    lasting,
    milliseconds,
    not_delegated,
    noticed,
    percent,
    rated,
    shared,
    watched,
)


def providers(report: Report, finding: str) -> Iterator[str]:
    """Every provider, by the lower end of what it kept."""
    head = (
        "Place",
        "Provider",
        "Agents",
        "Claims kept",
        "Card available",
        "Changes / 30 d",
        "Breaks / 30 d",
        "Stopped",
    )
    yield from section(
        "Providers at a glance",
        finding,
        head,
        report.providers,
        lambda one: (
            str(one.rank or "–"),
            span(one.provider),
            str(one.agents),
            shared(one.kept),
            percent(one.availability.share),
            rated(one.changes),
            rated(one.breaks),
            lasting(one.stopped_s) if one.stopped_s else "–",
        ),
    )


def availability(report: Report, finding: str) -> Iterator[str]:
    """Whether cards could be had."""
    yield from section(
        "Could the card be had?",
        finding,
        ("Agent", "Available, of the time observed", "Observed", "Outages", "Longest"),
        report.availability,
        lambda one: (
            who(one),
            available(one),
            lasting(one.observed_s),
            str(one.outages) + (", out now" if one.down else ""),
            lasting(one.longest_s) if one.outages else "–",
        ),
    )


def claims(report: Report) -> Iterator[str]:
    """Whether claims held when they were tried."""
    yield from section(
        "Did claims hold when they were tried?",
        "",
        ("Agent", "Claim", "Share held", "Held", "Contradicted", "Nothing learned"),
        report.claims,
        lambda one: (
            who(one),
            span(one.claim) if one.claim else "all kinds",
            shared(one.kept),
            str(one.kept.held),
            str(one.kept.tried - one.kept.held),
            str(one.inconclusive),
        ),
    )


def errors(report: Report, finding: str) -> Iterator[str]:
    """Whether calls failed that the card allowed."""
    yield from section(
        "Did calls fail that the card allowed?",
        finding,
        (
            "Agent",
            "Operation",
            "Contradicting, of its calls",
            "Calls",
            "Contradicting",
            "Not the provider's",
            "All errors",
        ),
        report.errors,
        lambda one: (
            who(one),
            span(one.operation),
            shared(one.rate) if one.rate else "no calls counted",
            f"{one.rate.tried:,}" if one.rate else "–",
            str(one.contradicting),
            str(one.apart),
            str(one.errors),
        ),
    )


def changes(report: Report, finding: str) -> Iterator[str]:
    """How often cards changed and broke."""
    yield from section(
        "How often did cards change, and break?",
        finding,
        (
            "Agent",
            "Days watched",
            "Distinct changes",
            "per 30 days",
            "Reviews",
            "per 30 days",
            "Distinct breaks",
            "per 30 days",
        ),
        report.changes,
        lambda one: (
            who(one),
            watched(one.changes.days),
            *(cell for rate in (one.changes, one.reviews, one.breaks) for cell in (str(rate.count), rated(rate))),
        ),
    )


def notice(report: Report, finding: str) -> Iterator[str]:
    """Whether breaks were announced."""
    yield from section(
        "Was a break announced?",
        finding,
        ("Agent", "Seen broken", "Workflows", "Sign", "Notice"),
        report.notices,
        lambda one: (
            span(one.agent),
            one.broke_at[:10],
            span(", ".join(one.workflows)),
            one.sign or "none",
            noticed(one),
        ),
    )


def recovery(report: Report, finding: str) -> Iterator[str]:
    """How soon changes were seen, and mended."""
    yield from section(
        "How soon was it seen, how soon mended?",
        finding,
        ("Agent", "Breaks, each time", "Not mended by it", "Half mended within"),
        report.recovery,
        lambda one: (
            who(one),
            str(one.breaks),
            str(one.standing),
            (lasting(one.median_s) if one.median_s is not None else "not yet") + (", too few" if one.few else ""),
        ),
    )
    yield from table(
        ("Agent", "Changes, each time", "Time to detect, at most: median", "95 of 100"),
        report.detection,
        lambda one: (who(one), str(one.changes), lasting(one.median_s), lasting(one.p95_s)),
    )


def latency(report: Report, finding: str) -> Iterator[str]:
    """How quick cards and calls are."""
    yield from section(
        "How quick are they?",
        finding,
        ("Agent", "What", "Cases", "Median", "95 of 100", "99 of 100"),
        report.latency,
        lambda one: (
            span(one.agent),
            span(one.operation) if one.operation else "its card",
            f"{one.cases:,}" + (", too few" if one.few else ""),
            *map(milliseconds, (one.p50_ms, one.p95_ms, one.p99_ms)),
        ),
    )


def locks(report: Report) -> Iterator[str]:
    """Where workflows stand at the end."""
    yield from section(
        "Where workflows stand at the end",
        "",
        ("Workflow", "Agent", "Verdict", "For", "Findings"),
        report.locks,
        lambda one: (span(one.workflow), span(one.agent), one.verdict, lasting(one.standing_s), str(one.findings)),
    )


def evidence(report: Report, finding: str) -> Iterator[str]:
    """Whether claims that are needed were verified in time."""
    yield from section(
        "Were the claims that workflows need verified in time?",
        finding,
        ("Agent", "Verified in time", "Time demanded, claim by claim", "At the end", "Needed, not demanded"),
        report.evidence,
        lambda one: (
            who(one),
            percent(one.share),
            lasting(one.demanded_s) if one.demanded_s else "–",
            f"{one.verified} of {one.claims}",
            str(one.undemanded or "–"),
        ),
    )


def cost(report: Report, finding: str) -> Iterator[str]:
    """What stops cost."""
    yield from section(
        "What it cost: new delegations stopped",
        finding,
        ("Agent", "Workflows", "Stops", "Time, all locks together", "Another stood ready", "Delegations not made"),
        report.cost,
        lambda one: (
            who(one),
            str(one.workflows),
            str(one.stops),
            lasting(one.stopped_s),
            at_hand(one),
            not_delegated(one.delegations, one.low, one.high),
        ),
    )


def trust(report: Report) -> Iterator[str]:
    """Time with a verified signature."""
    yield from section(
        "Signatures",
        "",
        ("Agent", "Verified, of the time with a profile", "Changes of the key"),
        report.trust,
        lambda one: (who(one), percent(one.signed_s / one.seen_s if one.seen_s else None), str(one.key_changes)),
    )
