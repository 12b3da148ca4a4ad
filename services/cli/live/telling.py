"""Telling an operator's facts: who tells them, what a person sees of it."""

import getpass
import socket
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from cardtrail.events import Event
from cardtrail.services.cli.outputs.told import Told, ToldFact, told_fact
from cardtrail.services.cli.shell.console import Console, Style
from cardtrail.services.cli.shell.text import plain

if TYPE_CHECKING:
    from cardtrail.services.cli.live.tracker import Tracker

by_option = click.option("--by", default=None, metavar="WHO", help="Who does this; default user@host.")
"""`--by`: a broker with accounts attests who it really was."""

_WORDS = {
    "agent-tracked": "tracked",
    "agent-untracked": "untracked",
    "lockfile-pinned": "pinned",
    "lockfile-released": "released",
    "change-acknowledged": "acknowledged",
}


def actor(by: str | None) -> str:
    """Who acts: as told, else this user at this host."""
    if by:
        return by
    try:
        return f"{getpass.getuser()}@{socket.gethostname()}"
    except (OSError, KeyError):  # a container's user without a name
        return f"unknown@{socket.gethostname()}"


async def tell(tracker: "Tracker", events: Sequence[Event]) -> tuple[ToldFact, ...]:
    """Tell the facts in order.

    Raises:
        BrokerUnreachable: it is not known whether they were told; tell them again. UsageError: `log-audited`.
    """
    from cardtrail.services.telling import operator_fact  # noqa: PLC0415 — help needs no broker library

    tracker.must_work()
    sequences = await tracker.bus.tell([operator_fact(event, "cli") for event in events]) if events else []
    return tuple(told_fact(sequence, event) for sequence, event in zip(sequences, events, strict=True))


def say(console: Console, found: Told, nothing: str) -> None:
    """What was told, or `nothing` where the log said so already."""
    if console.json:
        console.document(found.model_dump(mode="json"))
        return
    console.lines(*(_line(fact, console.out) for fact in found.facts) if found.facts else (f"· {nothing}",))
    console.hint(*(f"note: {note}" for note in found.notes))


def _line(fact: ToldFact, style: Style) -> str:
    who = " × ".join(plain(part) for part in (fact.workflow, fact.agent) if part)
    seen = "" if fact.principal == "public" else f" as {plain(fact.principal)}"
    return f"{style.marked('ok', _WORDS[fact.kind])}  {who}{seen}  fact {fact.sequence}"
