"""`lint` for people: level, code, place, what; the source line with a caret and the hint."""

from collections.abc import Iterator

from cardtrail.events.errors import InputRefused
from cardtrail.services.cli.formats.report import MARKS, Remark, Report, Section
from cardtrail.services.cli.formats.words import counted, message
from cardtrail.services.cli.shell.console import Style
from cardtrail.services.cli.shell.text import plain, width

_AROUND = 50
_CARET = 24


def lines(report: Report, style: Style) -> Iterator[str]:
    """Every remark with its excerpt, then the shape and the counts."""
    for section in report.sections:
        source = section.source.split("\n")  # as the parser counts; a text may hold other line separators
        for remark in section.remarks:
            if report.shows(remark):
                place = " ".join(plain(part) for part in (remark.place, remark.path) if part)
                head = style.paint(remark.severity, MARKS[remark.severity])
                yield f"{head} {plain(remark.rule)} {place}: {message(remark)}"
                yield from excerpt(remark, source, style)
        yield f"{plain(section.card)}: {summary(section)}" if len(report.sections) > 1 else summary(section)


def excerpt(remark: Remark, source: list[str], style: Style) -> Iterator[str]:
    """The line, cut around the column (most cards on the wire are one line), and a caret under the value."""
    place = remark.place
    if not 0 < place.line <= len(source):
        if remark.hint:
            yield f"hint: {plain(remark.hint)}"
        return
    line, start = source[place.line - 1].replace("\t", " "), max(0, place.column - 1 - _AROUND)
    before = ("…" if start else "") + plain(line[start : place.column - 1])
    rest = line[place.column - 1 : place.column - 1 + _AROUND]
    after = plain(rest) + ("…" if len(line) > place.column - 1 + _AROUND else "")
    long = place.end_column - place.column if place.end_line == place.line else 1
    caret = style.paint("^" * max(1, min(long, _CARET, width(rest))), MARKS[remark.severity])
    number = f"{place.line:>5}"
    yield f"{number} | {before}{after}"
    yield f"{' ' * len(number)} | {' ' * width(before)}{caret} {plain(remark.hint)}".rstrip()


def summary(section: Section) -> str:
    """`shape hybrid, read as 1.0: 1 error, 0 warnings. Explain: cardtrail rules CT017`; a refusal is no clean bill."""
    if section.failure is not None:
        code = plain(section.failure.code)
        word = "refused" if isinstance(section.failure, InputRefused) else "not read"
        return f"{word}, {code}. Explain: cardtrail rules {code}"
    read_as = "" if section.verdict in {"1.0", "not-a-card"} else ", read as 1.0"
    found = f"{counted(section.count('error'), 'error')}, {counted(section.count('warning'), 'warning')}"
    first = f" Explain: cardtrail rules {plain(section.remarks[0].rule)}" if section.remarks else ""
    return f"shape {plain(section.verdict)}{read_as}: {found}.{first}"
