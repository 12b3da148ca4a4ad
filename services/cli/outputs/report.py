"""`cardtrail report --json`: the report, and which files were written."""

from cardtrail.events.model.value import Value
from cardtrail.services.report.report import Report

OUTPUTS: tuple[type[Value], ...] = (Report,)
