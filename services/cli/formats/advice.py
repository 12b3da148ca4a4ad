"""What is said beside a report, on stderr: cards that could not be read, oddities of the lock, what to do next."""

import shlex
from collections.abc import Iterator

from cardtrail.events.model.finding import Diagnostic
from cardtrail.services.cli.formats.report import Report
from cardtrail.services.cli.formats.words import FINGERPRINT
from cardtrail.services.cli.shell.console import Console
from cardtrail.services.cli.shell.failure import error_lines
from cardtrail.services.cli.shell.text import plain


def advise(console: Console, report: Report) -> None:
    """Tell it; silent in JSON mode, where all of it stands in the document."""
    for section in report.sections:
        if section.failure is not None and not console.json:
            console.problem(*error_lines(console.err, section.failure))
    told = dict.fromkeys((doubt, section.file) for section in report.sections for doubt in section.doubts)
    console.hint(*(_doubt(doubt, file) for doubt, file in told))
    steps = list(next_steps(report))
    if steps:
        console.hint(f"next: {' · '.join(steps)}")


def next_steps(report: Report) -> Iterator[str]:
    """Commands to paste for the worst finding that is listed; nothing where all is well."""
    section, worst = next(((section, one) for section, one in report.remarks() if one.level != "note"), (None, None))
    if section is None or worst is None or report.tool == "lint":
        return
    card, lock = (shlex.quote(plain(name)) for name in (section.card, section.file))
    yield f"cardtrail rules {plain(worst.rule)}"
    if report.tool == "check" and worst.level == "error":
        yield f"cardtrail diff OLD {card}"
        yield f"cardtrail pin {card} --update {lock} --need-less (to need less)"
    if report.tool == "check" and worst.level == "warning":
        yield f"cardtrail ack {worst.fingerprint[:FINGERPRINT]} --reason … --until …"


def _doubt(doubt: Diagnostic, file: str) -> str:
    place = f"{plain(file)}:{doubt.line}:{doubt.column}"
    return f"{doubt.level} {doubt.code} {place} {plain(doubt.path)}: {plain(doubt.message, 500)}"
