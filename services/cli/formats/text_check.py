"""`check` for people: a line a finding, what is needed, was and is below it; one line where all is well."""

from collections.abc import Iterator

from cardtrail.services.cli.formats.report import MARKS, Remark, Report, Section
from cardtrail.services.cli.formats.words import FINGERPRINT, counted, counts, facts, message, pair, short_digest
from cardtrail.services.cli.shell.console import Style
from cardtrail.services.cli.shell.text import padded, plain, shown, width

_WORD = 10
_FOLLOWS = {
    "breaking": "New delegations of {workflow} stop; running tasks go on.",
    "review": "Delegations of {workflow} go on; its owner is told.",
    "compatible": "",
}


def lines(report: Report, style: Style) -> Iterator[str]:
    """All sections, each ending with its verdict."""
    several = len(report.sections) > 1
    for section in report.sections:
        card = plain(section.card) if several else ""
        if section.failure is not None and not section.judged:
            head = style.marked(MARKS[section.verdict], section.verdict)
            yield f"{head}: {pair(section)}, {card}: not read, {plain(section.failure.code)}"
            continue
        listed = [remark for remark in section.remarks if report.shows(remark)]
        rules = max((width(plain(remark.rule)) for remark in listed), default=0)
        for remark in listed:
            yield from finding(remark, style, rules)
        if not listed and section.verdict == "compatible":
            yield passed(section, style, card)
        else:
            hidden = len(listed) < len(section.remarks)
            yield verdict(section, style, whose=f"{pair(section)}, {card}" if several else "", hidden=hidden)


def passed(section: Section, style: Style, card: str = "") -> str:
    """The one line of a card that may be relied on; `card` names it where several are judged."""
    digest = short_digest(section.digest)
    notes = section.count("note")
    parts = (
        style.marked(MARKS[section.verdict], section.verdict),
        pair(section),
        card,
        plain(section.version),
        f"card {digest}" if digest else "",
        f"({counted(notes, 'note')}: --level note)" if notes else "",
    )
    return "  ".join(part for part in parts if part)


def verdict(section: Section, style: Style, whose: str = "", *, hidden: bool = False) -> str:
    """The last line: verdict, counts, what follows; `whose` where several cards are judged, `hidden` where not all is listed."""
    follows = _FOLLOWS[section.verdict].format(workflow=plain(section.workflow) or "this workflow")
    head = style.marked(MARKS[section.verdict], section.verdict)
    found = counts(section, "breaking", "review", "note") + (" (--level note)" if hidden else "")
    return ": ".join(part for part in (head, whose, f"{found}. {follows}".rstrip()) if part)


def finding(remark: Remark, style: Style, columns: int) -> Iterator[str]:
    """Severity, rule, subject, place, fingerprint; then the facts, or the message where there are none."""
    head = f"{style.marked(MARKS[remark.severity], remark.severity, _WORD)}  {padded(plain(remark.rule), columns)}"
    tail = "  ".join(part for part in (plain(remark.place), remark.fingerprint[:FINGERPRINT]) if part)
    below = " · ".join(f"{name} {value}" for name, value in facts(remark)) or message(remark)
    if _scalar(remark.before) and _scalar(remark.after) and remark.needs in (None, remark.before):
        yield f"{head}  {shown(remark.before)} → {shown(remark.after)}  {tail}"
    else:
        yield f"{head}  {plain(remark.subject)}  {tail}"
        yield " " * (_WORD + 2) + below
    if remark.hint:
        yield " " * (_WORD + 2) + f"hint: {plain(remark.hint)}"


def _scalar(value: object) -> bool:
    return isinstance(value, str | int | float | bool)
