"""JSON: one object per card; several cards give `results` under the worst verdict."""

from cardtrail.services.cli.formats.report import Report
from cardtrail.services.cli.shell.console import Style, as_json

_ORDER = ("breaking", "unknown", "review", "compatible")


def document(report: Report) -> dict[str, object]:
    """The one object that `--json` prints; the error alone where nothing could be judged."""
    if report.failed:
        return report.sections[0].output
    head = {"format": f"cardtrail.{report.tool}/1"}
    if len(report.sections) == 1:
        return {**head, **report.sections[0].output}
    verdicts = [section.verdict for section in report.sections]
    verdict = {"verdict": min(verdicts, key=_ORDER.index)} if report.tool == "check" else {}
    return {**head, **verdict, "results": [section.output for section in report.sections]}


def render(report: Report, style: Style) -> str:
    """Indented ASCII JSON."""
    del style
    return as_json(document(report)) + "\n"
