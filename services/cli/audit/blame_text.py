"""`blame` for people: newest first, as a line of a file is blamed; the window in which it changed, and what it brought."""

from collections.abc import Iterator
from datetime import datetime
from uuid import UUID

from cardtrail.services.audit.blame import Brought, Held
from cardtrail.services.cli.formats.words import counted
from cardtrail.services.cli.live.when import as_known, clock, long_span
from cardtrail.services.cli.live.words import VERDICTS
from cardtrail.services.cli.outputs.blame import BlameOutput
from cardtrail.services.cli.shell.console import Style
from cardtrail.services.cli.shell.text import plain, shown, width

_IN, _NO_END = " " * 4, 1 << 20
_GONE = {"absent": "(removed)", "unknown": "(unknown)"}
_OURS = {"compiler": " (our compiler)", "client": " (our client)"}
_WORDS = {"breaking": "stopped", "review": "under review", "compatible": "goes on"}


def lines(found: BlameOutput, style: Style, now: datetime) -> Iterator[str]:
    """A table where it fits, else a block for each value; and what bounds it."""
    if found.as_of:
        yield as_known(found.as_of, found.through)
    yield from _values(found, style, now) if found.values else ("nothing was compiled yet",)
    if found.known_from > 1:
        yield f"unknown before fact {found.known_from}, where the log begins"
    if found.unreadable:
        yield f"{counted(len(found.unreadable), 'fact')} cannot be read (broken, or of a newer release)"


def _values(found: BlameOutput, style: Style, now: datetime) -> Iterator[str]:
    rows = [(plain(one.capability), _cells(one, style, now, found)) for one in _newest_first(found)]
    header = ("CAPABILITY", ["VALUE", "CHANGED BETWEEN", "FACT", "CARD", "BROUGHT"])
    told = [cells if found.capability else [name, *cells] for name, cells in (header, *rows)]
    wide = Style(colour=style.colour, columns=_NO_END if style.columns else 0)
    table = wide.table(told[0], told[1:])
    if style.columns and max(map(width, table)) > style.columns:
        yield from _blocks(found, style, now)
    else:
        yield from table


def _blocks(found: BlameOutput, style: Style, now: datetime) -> Iterator[str]:
    """The value, then its window, the fact and the card, then what followed, a line each: nothing is cut."""
    for one in _newest_first(found):
        value, window, number, card, _ = _cells(one, style, now, found)
        yield value if found.capability else f"{plain(one.capability)}  {value}"
        yield f"{_IN}{window}  fact {number}{f'  card {card}' if card else ''}"
        yield from (f"{_IN}{each}" for each in _effects(one, style))


def _newest_first(found: BlameOutput) -> list[Held]:
    """All values of one capability backwards; the last ones of all by what brought them, each card's by name."""
    return list(reversed(found.values)) if found.capability else sorted(found.values, key=lambda one: -one.sequence)


def fact(sequence: int, name: UUID) -> str:
    """`123 01J8…9f`: the sequence names it for other commands, the id for the eye."""
    return f"{sequence} {name.hex[:4]}…{name.hex[-2:]}"


def valued(one: Held) -> str:
    """The value, or why there is none."""
    return shown(one.value) if one.state == "held" else _GONE[one.state]


def _cells(one: Held, style: Style, now: datetime, found: BlameOutput) -> list[str]:
    return [
        valued(one),
        _window(one, style, now, found),
        fact(one.sequence, one.fact),
        plain(one.version) + _OURS.get(one.cause, ""),
        ", ".join(_effects(one, style)),
    ]


def _effects(one: Held, style: Style) -> list[str]:
    """What followed, each once; what the value did not bring is said to have come with it."""
    return list(dict.fromkeys(_brought(each, style) for each in one.brought))


def _window(one: Held, style: Style, now: datetime, found: BlameOutput) -> str:
    """`11-30 08:12:04 … 09:12:31 (1 h 0 m)`; the day again where it is another one."""
    terminal = bool(style.columns)
    first = datetime.fromisoformat(one.first_seen)
    told = clock(first, now, terminal=terminal)
    if one.after is None:
        return f"{'first seen' if found.known_from == 1 else 'not after'} {told}"
    after = datetime.fromisoformat(one.after)
    since = clock(after, now, terminal=terminal)
    if terminal and after.date() == first.date():
        told = told[-len("00:00:00") :]
    return f"{since} … {told} ({long_span((first - after).total_seconds())})"


def _brought(each: Brought, style: Style) -> str:
    if each.verdict is None:
        return f"pinned by {plain(each.workflow)}"
    told = style.marked(VERDICTS[each.verdict], f"{plain(each.workflow)} {_WORDS[each.verdict]}")
    return f"with it: {told}" if each.by_this is False else told
