"""Annotations of a GitHub workflow run. Ten of a kind and step are shown, the rest vanish: the tenth says how many more."""

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter

from cardtrail.events.errors import CardtrailError
from cardtrail.services.cli.formats.place import path
from cardtrail.services.cli.formats.report import Place, Remark, Report, Section
from cardtrail.services.cli.formats.words import facts, message, pair
from cardtrail.services.cli.shell.console import Style
from cardtrail.services.cli.shell.text import plain

_MOST = 10
_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}


def render(report: Report, style: Style) -> str:
    """Workflow commands, worst first; where nothing was found, a notice that says so."""
    del style
    lines: list[str] = []
    told = [("error", _failure(section, error)) for section, error in report.failures()]
    told += [(remark.level, _annotation(section, remark)) for section, remark in report.remarks()]
    for _, group in groupby(told, key=itemgetter(0)):
        found = [line for _, line in group]
        lines += found[:_MOST]
        if len(found) > _MOST:
            lines[-1] += encoded(f" (and {len(found) - _MOST} more: {report.repeat})")
    return "".join(f"{line}\n" for line in lines or _clean(report))


def encoded(data: str) -> str:
    """Message data for a workflow command; `##[` would be an older kind of command."""
    safe = data.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return safe.replace("##", "#%23")


def _property(data: str) -> str:
    return encoded(data).replace(":", "%3A").replace(",", "%2C")


def _failure(section: Section, error: CardtrailError) -> str:
    parts = (plain(part, 500) for part in (error.message, error.hint, section.card and f"({section.card})") if part)
    return _command("error", section.failed_at, plain(error.code), " · ".join(parts))


def _annotation(section: Section, remark: Remark) -> str:
    told = " · ".join([message(remark), *(f"{name} {value}" for name, value in facts(remark))])
    seen = f"{plain(section.card)} {plain(remark.path)}".strip()
    return _command(_COMMANDS[remark.level], remark.place, plain(remark.rule), f"{told} ({seen})")


def _command(word: str, place: Place, title: str, told: str) -> str:
    properties = {"file": path(place.file), "line": max(1, place.line)}
    if place.end_line:
        properties |= {"col": place.column, "endLine": place.end_line, "endColumn": place.end_column}
    properties["title"] = title
    values = ",".join(f"{name}={_property(str(value))}" for name, value in properties.items())
    return f"::{word} {values}::{encoded(told)}"


def _clean(report: Report) -> Iterator[str]:
    for section in report.sections:
        yield f"::notice title=cardtrail::{encoded(f'{section.verdict}: {pair(section)}')}"
