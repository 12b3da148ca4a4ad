"""`history` for people: a line per entry in stream order, UTC, its facts by number, newest last; then how much was folded."""

import re
from collections.abc import Iterator
from datetime import datetime
from textwrap import wrap

from cardtrail.events.fact import PUBLIC
from cardtrail.services.cli.formats.words import counted
from cardtrail.services.cli.live.when import as_known, brief, clock
from cardtrail.services.cli.outputs.history import HistoryEntry, HistoryOutput
from cardtrail.services.cli.shell.console import Style
from cardtrail.services.cli.shell.text import padded, plain

_MARK = re.compile("([✓✗!]) ")
_WORD, _RUNS, _WIDEST, _ROOM = 9, 3, 15, 30


def lines(found: HistoryOutput, style: Style, now: datetime) -> Iterator[str]:
    """The story and its sum."""
    if found.as_of:
        yield as_known(found.as_of, found.through)
    widest = min(max((len(_numbers(entry)) for entry in found.entries), default=0), _WIDEST)
    for entry in found.entries:
        yield entry_line(entry, style, now, widest)
    yield _sum(found)


def entry_line(entry: HistoryEntry, style: Style, now: datetime, widest: int = 0) -> str:
    """`11-28 21:58:00  4711  refused   connect: timed out; last good profile kept`; the numbers are its facts' sequences."""
    seen = "" if entry.principal in {PUBLIC, ""} else f"as {plain(entry.principal)}: "
    at = clock(datetime.fromisoformat(entry.at), now, terminal=bool(style.columns))
    numbers = _numbers(entry)
    if not style.columns:
        return f"{at}\t{entry.what}\t{seen}{entry.text}\t{numbers}"
    head = f"{at}  {padded(numbers, widest)}  {padded(entry.what, _WORD)} "
    return _wrapped(head, seen + entry.text, style.columns)


def _wrapped(head: str, text: str, columns: int) -> str:
    """Between words, under where the text began; a terminal that leaves no room for that breaks the line itself."""
    room = columns - len(head)
    if room < _ROOM:
        return head + text
    held = _MARK.sub("\\1\u00a0", text)  # a mark stays with its word; `plain` leaves no such space in what others wrote
    parts = wrap(held, room, break_long_words=False, break_on_hyphens=False)
    return head + f"\n{' ' * len(head)}".join(parts).replace("\u00a0", " ")


def _numbers(entry: HistoryEntry) -> str:
    """`4711`, `4711-4713`, `4711,4720`: the facts of a line as other commands take them, a run as its ends."""
    runs: list[list[int]] = []
    for sequence in (fact.sequence for fact in entry.facts):
        if runs and sequence == runs[-1][-1] + 1:
            runs[-1] = [runs[-1][0], sequence]
        else:
            runs.append([sequence])
    told = ["-".join(map(str, run)) for run in runs]
    return ",".join(told if len(told) <= _RUNS else [*told[: _RUNS - 1], "…", told[-1]])


def _sum(found: HistoryOutput) -> str:
    said = f"{found.facts - found.folded} of {counted(found.facts, 'fact')}"
    if found.folded:
        said += f" ({found.folded} that changed nothing folded: --all)"
    if found.unreadable:
        said += f"; {counted(len(found.unreadable), 'fact')} not shown: cannot be read (broken, or of a newer release)"
    if found.known_from > 1:
        said += f"; unknown before fact {found.known_from}, where the log begins"
    if found.as_of is None and len(found.entries) > 1:
        said += f". Earlier knowledge: --as-of {_earlier(found)}"
    return said


def _earlier(found: HistoryOutput) -> str:
    """An instant at which something was known, and less than now: the last day's begin, else the line before the last."""
    day = f"{found.entries[-1].at[:10]}T00:00Z"
    before = brief(datetime.fromisoformat(found.entries[-2].at))
    return day if datetime.fromisoformat(day) > datetime.fromisoformat(found.entries[0].at) else before
