"""Text for people: worst first, the verdict and the counts last, where a CI log shows them."""

from cardtrail.services.cli.formats import text_check, text_diff, text_lint
from cardtrail.services.cli.formats.report import Report
from cardtrail.services.cli.shell.console import Style
from cardtrail.services.cli.shell.failure import error_lines

_BY_TOOL = {"check": text_check.lines, "diff": text_diff.lines, "lint": text_lint.lines}


def render(report: Report, style: Style) -> str:
    """The lines of the tool's own layout; the error alone where nothing could be judged."""
    if report.failed:
        return "".join(f"{line}\n" for _, error in report.failures() for line in error_lines(style, error))
    return "".join(f"{line}\n" for line in _BY_TOOL[report.tool](report, style))
