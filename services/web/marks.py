"""What happened to an agent at one moment, as a mark on its timeline: a lane by kind, a tone by outcome, a line. Pure."""

from collections.abc import Iterator
from typing import Literal

from cardtrail.events import (
    CardFetched,
    CardRefused,
    ChangeAcknowledged,
    ChangeDecided,
    LockfilePinned,
    LockfileReleased,
    ProbeRecorded,
    RuntimeErrorObserved,
    Stored,
)
from cardtrail.events.fact import instant
from cardtrail.events.model.value import Value
from cardtrail.services.cli.formats.words import counted
from cardtrail.services.cli.live import words

Tone = Literal["ok", "review", "breaking", "unknown", "note"]
Lane = Literal["looks", "probes", "calls", "decisions", "people"]
LANES: tuple[Lane, ...] = ("looks", "probes", "calls", "decisions", "people")
_OUTCOMES: dict[str, Tone] = {"held": "ok", "contradicted": "breaking", "inconclusive": "unknown"}
_VERDICTS: dict[str, Tone] = {"compatible": "ok", "review": "review", "breaking": "breaking"}


class Mark(Value):
    """When (observed, RFC 3339), in which lane, how it is to be taken, what it says, the fact behind it."""

    at: str
    lane: Lane
    tone: Tone
    what: str
    sequence: int


def marked(stored: Stored) -> Iterator[Mark]:
    """The mark of a fact that leaves one; an unchanged answer leaves none."""
    found = _mark(stored)
    if found is not None:
        lane, tone, what = found
        yield Mark(at=instant(stored.fact.time), lane=lane, tone=tone, what=what, sequence=stored.sequence)


def _mark(stored: Stored) -> tuple[Lane, Tone, str] | None:
    event = stored.fact.data
    match event:
        case CardFetched(same_as=None):
            return "looks", "note", f"card {event.raw_digest[7:15]}, {counted(event.size, 'byte')}"
        case CardRefused():
            return "looks", "breaking", f"refused, {words.refused(event, kept=False)}"
        case ProbeRecorded():
            return "probes", _OUTCOMES[event.outcome], f"probe {words.claim(event.claim)}: {event.outcome}"
        case RuntimeErrorObserved():
            return "calls", "breaking" if event.contradicts else "unknown", f"call failed, {words.said(event)[1]}"
        case ChangeDecided():
            word = "recovered" if event.recovered else event.verdict
            return "decisions", _VERDICTS[event.verdict], f"{word} for {event.workflow}, {event.action}"
        case ChangeAcknowledged() | LockfilePinned() | LockfileReleased():
            what, text = words.said(event)
            return "people", "note", f"{what} {text}"
    return None
