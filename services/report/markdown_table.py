"""Tables and prose in Markdown: names stand in code spans, and nothing in a sentence is markup, a tag or a mention."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from cardtrail.services.cli.formats.markdown import span
from cardtrail.services.cli.shell.text import code, plain
from cardtrail.services.report.html import ROWS
from cardtrail.services.report.model import Line
from cardtrail.services.report.wording import counted

T = TypeVar("T")
_ACTIVE = re.compile(r"[|`<>@&]")
_MARKUP = re.compile(r"([\\*_\[\]#~])")
Cells = tuple[str, ...]


def section(title: str, finding: str, head: Cells, lines: Iterable[T], cells: Callable[[T], Cells]) -> Iterator[str]:
    """A heading, what is found, and the table."""
    yield from ("", f"## {title}")
    if finding:
        yield from ("", prose(finding))
    yield from table(head, lines, cells)


def table(head: Cells, lines: Iterable[T], cells: Callable[[T], Cells]) -> Iterator[str]:
    """The first lines as a table; nothing where there are none."""
    rows = list(lines)
    if not rows:
        return
    yield from ("", f"| {' | '.join(head)} |", f"| {' | '.join('---' for _ in head)} |")
    for row in rows[:ROWS]:
        yield f"| {' | '.join(cells(row))} |"
    if len(rows) > ROWS:
        yield from ("", f"{ROWS} of {counted(len(rows), 'line')}; `--json` has all.")


def who(line: Line) -> str:
    """Whom a line is about."""
    return span(line.agent) if line.agent else f"{span(line.provider)}, all its agents"


def prose(text: str) -> str:
    """A sentence with names of others in it: nothing in it is markup."""
    seen = _ACTIVE.sub(lambda match: code(match[0]), plain(text, 900))
    return _MARKUP.sub(r"\\\1", seen)
