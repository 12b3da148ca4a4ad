"""The report as Markdown, for a wiki or a pull request: the same sentences and tables, no picture."""

from collections.abc import Iterator

from cardtrail.services.cli.formats.markdown import span
from cardtrail.services.report import markdown_sections as sections
from cardtrail.services.report.captions import captions
from cardtrail.services.report.html import day
from cardtrail.services.report.markdown_table import prose
from cardtrail.services.report.report import Report
from cardtrail.services.report.wording import counted


def markdown(report: Report) -> str:
    """The text. The same report gives the same bytes."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: Report) -> Iterator[str]:
    found = captions(report)
    yield f"# {f'How {span(report.provider)} keeps its word' if report.provider else 'Which providers keep their word'}"
    yield ""
    yield f"{day(report.since)} to {day(report.until)}, as {span(report.principal)} sees them. Log to fact {report.through:,}."
    for sentence in report.sentences:
        yield from ("", prose(sentence))
    yield from sections.providers(report, found["kept"])
    yield from sections.availability(report, found["days"])
    yield from sections.claims(report)
    yield from sections.evidence(report, found["evidence"])
    yield from sections.errors(report, found["errors"])
    yield from sections.changes(report, found["weeks"])
    yield from sections.notice(report, found["notice"])
    yield from sections.recovery(report, found["curve"])
    yield from sections.cost(report, found["stops"])
    yield from sections.latency(report, found["latency"])
    if report.trust:
        yield from sections.trust(report)
    yield from sections.locks(report)
    yield from _about(report)


def _about(report: Report) -> Iterator[str]:
    yield from ("", "## About the numbers", "")
    yield f"- {counted(report.facts, 'fact')}, places {report.first:,} to {report.through:,}; log {span(report.log_digest)}"
    if report.checkpoint:
        yield f"- checkpoint {span(report.checkpoint.root)} over {counted(report.checkpoint.size, 'fact')}"
    yield f"- rules {span(', '.join(report.rules_versions))}, cardtrail {report.release}"
    yield f"- again: {span(report.command)}"
    yield "- intervals are 95 %: Wilson for shares, exact Poisson for counts, days drawn again for availability"
    yield "- definitions and questions: the HTML report, `cardtrail sql --views`"
