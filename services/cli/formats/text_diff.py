"""`diff` for people: a line a change, gone, new or changed, with what it means for whoever needs everything."""

from collections.abc import Iterator

from cardtrail.services.cli.formats.report import MARKS, Remark, Report
from cardtrail.services.cli.formats.words import counts, message, pair
from cardtrail.services.cli.shell.console import Style
from cardtrail.services.cli.shell.text import padded, plain, shown, width

_WIDEST = 60


def lines(report: Report, style: Style) -> Iterator[str]:
    """The verdict, the changes in columns, what `lint` says of the new card alone, then counts and what was not counted."""
    for section in report.sections:
        yield f"{style.marked(MARKS[section.verdict], section.verdict)}  {pair(section)}  {plain(section.card)}"
        listed = [remark for remark in section.remarks if report.shows(remark)]
        rows = [(sign(remark), plain(remark.subject), change(remark)) for remark in listed]
        sizes = [min(_WIDEST, max((width(row[column]) for row in rows), default=0)) for column in (1, 2)]
        for remark, (mark, subject, what) in zip(listed, rows, strict=True):
            word = style.marked(MARKS[remark.severity], remark.severity, 10)
            yield f"{mark} {padded(subject, sizes[0])}  {padded(what, sizes[1])}  {word}  {plain(remark.rule)}"
        for remark in section.beside:
            yield f"{remark.severity} {plain(remark.rule)}  {plain(remark.place)} {plain(remark.path)}: {message(remark)}"
        silent = f" Not counted: {', '.join(map(plain, section.silent))}." if section.silent else ""
        news = f" {len(section.beside)} new in lint." if section.beside else ""
        yield f"{counts(section, 'breaking', 'review', 'note')}.{news}{silent}"


def sign(remark: Remark) -> str:
    """`-` gone, `+` new, `~` changed."""
    gone, new = _parts(remark)
    return "-" if gone and not new else "+" if new and not gone else "~"


def change(remark: Remark) -> str:
    """What went or came; old → new where both stand; the message where neither is known."""
    if remark.before is None and remark.after is None:
        return message(remark)
    if isinstance(remark.before, list) and isinstance(remark.after, list):
        gone, new = _parts(remark)
        sides = (" ".join(map(shown, side)) for side in (gone, new) if side)
        return " → ".join(sides) or shown(remark.after)
    if remark.before is None or remark.after is None:
        return shown(remark.after if remark.before is None else remark.before)
    return f"{shown(remark.before)} → {shown(remark.after)}"


def _parts(remark: Remark) -> tuple[list[object], list[object]]:
    before, after = _list(remark.before), _list(remark.after)
    return [item for item in before if item not in after], [item for item in after if item not in before]


def _list(value: object) -> list[object]:
    if value is None:
        return []
    return list(value) if isinstance(value, list | tuple) else [value]
