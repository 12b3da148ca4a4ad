"""How findings are written: one module per format, one line per format in FORMATS; each turns a `Report` into text. Pure.

The same report gives the same bytes: no clock, no host name, findings in the order they were judged, worst first.
"""

from importlib import import_module

from cardtrail.services.cli.formats.report import Report
from cardtrail.services.cli.shell.console import Style

FORMATS: dict[str, str] = {
    "text": "text",
    "json": "document",
    "markdown": "markdown",
    "junit": "junit",
    "sarif": "sarif",
    "github": "github",
    "gitlab": "gitlab",
}
"""Name on the command line → module with `render(report, style)`."""


def render(name: str, report: Report, style: Style) -> str:
    """The report in a format of FORMATS, ending with a line end."""
    text: str = import_module(f"{__name__}.{FORMATS[name]}").render(report, style)
    return text
