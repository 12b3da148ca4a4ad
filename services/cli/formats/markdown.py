"""Markdown for a step summary or a comment: verdict, a table of what matters, notes folded, the command to repeat it.

What a card says stands only in code spans, with the characters that could leave one, mention somebody or open a tag as codes. A
hidden marker lets a comment be updated instead of repeated. At most 65,535 characters, what a check run's text may hold.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator

from cardtrail.services.cli.formats.report import MARKS, Remark, Report, Section
from cardtrail.services.cli.formats.words import FINGERPRINT, counts, message, pair
from cardtrail.services.cli.shell.console import Style
from cardtrail.services.cli.shell.text import code, plain, shown

LONGEST = 65_000
_ACTIVE = re.compile(r"[|`<>@&]")
_HEAD = ("| severity | rule | subject | before → now | fingerprint |", "| --- | --- | --- | --- | --- |")
_ICONS = {"ok": "✅", "error": "❌", "warning": "⚠", "note": "ℹ", "unknown": "❓"}
_WORDS = {"lint": ("error", "warning", "info")}


def render(report: Report, style: Style) -> str:
    """All sections, cut where the reader would be refused the whole."""
    del style
    room = LONGEST // max(1, len(report.sections))
    return "\n".join("".join(_cut(_section(report, section), room)) for section in report.sections)


def span(data: object) -> str:
    """Untrusted text as a code span; nothing in it is markup."""
    text = _ACTIVE.sub(lambda match: code(match[0]), plain(data)).strip()
    return f"`{text}`" if text else "–"


def _cut(lines: Iterable[str], room: int) -> Iterator[str]:
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            yield "\n… more than fits here; repeat with `--format text`.\n"
            return
        yield f"{line}\n"


def _section(report: Report, section: Section) -> Iterator[str]:
    words = _WORDS.get(report.tool, ("breaking", "review", "note"))
    marker = hashlib.sha256(f"{report.tool}\0{section.workflow}\0{section.agent}".encode(errors="replace")).hexdigest()
    yield f"<!-- cardtrail:{report.tool}:{marker[:FINGERPRINT]} -->"
    mark = MARKS.get(section.verdict, "note" if section.failure is None else "error")
    card = f", {span(section.card)}" if len(report.sections) > 1 and section.agent else ""
    yield f"## {_ICONS[mark]} {section.verdict}: {span(pair(section))}{card}"
    yield ""
    yield f"{counts(section, *words) if section.judged else 'Nothing was judged'}. Repeat: {span(report.repeat)}"
    if section.failure is not None:
        yield ""
        hint = f" ({span(section.failure.hint)})" if section.failure.hint else ""
        yield f"{span(section.failure.code)} {span(section.failed_at)}: {span(section.failure.message)}{hint}"
    yield from _table(remark for remark in section.remarks if remark.level != "note")
    notes = [remark for remark in section.remarks if remark.level == "note"]
    if notes:
        yield from _folded(f"{len(notes)} × {words[2]}", notes)
    if section.beside:
        yield from _folded(f"{len(section.beside)} × new in lint", section.beside)


def _folded(title: str, remarks: Iterable[Remark]) -> Iterator[str]:
    yield from ("", f"<details><summary>{title}</summary>", *_table(remarks), "", "</details>")


def _table(remarks: Iterable[Remark]) -> Iterator[str]:
    for index, remark in enumerate(remarks):
        if not index:
            yield from ("", *_HEAD)
        values = f"{span(shown(remark.before))} → {span(shown(remark.after))}"
        change = span(message(remark)) if remark.before is None and remark.after is None else values
        cells = (
            remark.severity,
            span(remark.rule),
            span(remark.subject),
            change,
            span(remark.fingerprint[:FINGERPRINT]),
        )
        yield f"| {' | '.join(cells)} |"
