"""A fact by what people type: its sequence, the beginning of its id, or, for a decision, the workflow it stands for."""

from cardtrail.events import ChangeDecided, Stored
from cardtrail.events.errors import EventRefused, UsageError
from cardtrail.events.subjects import token
from cardtrail.events.upcast import decode
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.names import FACTS
from cardtrail.services.bus.snapshot import passage

_SHORTEST, _SHOWN = 4, 5
_ID = b'"id":"'
_UUID = 36


async def decision(bus: Bus, given: str) -> Stored:
    """A decision: by sequence, by id or its beginning, or the newest of a workflow.

    Raises:
        UsageError: `fact-unknown`, `fact-ambiguous`.
    """
    try:
        found = await _by_sequence(bus, given)
    except EventRefused:
        found = None
    if found is not None and isinstance(found.fact.data, ChangeDecided):
        return found
    latest = (await bus.last(f"cardtrail.decisions.{token(given)}.>")).facts
    return latest[-1] if latest else await _by_beginning(bus, given, "cardtrail.decisions.>")


async def fact(bus: Bus, given: str) -> int:
    """The sequence of any fact: as given, or by its id or its beginning.

    Raises:
        UsageError: `fact-unknown`, `fact-ambiguous`.
    """
    if given.isdecimal() and await bus.raw(int(given)) is not None:
        return int(given)
    return (await _by_beginning(bus, given, "cardtrail.>")).sequence


async def _by_sequence(bus: Bus, given: str) -> Stored | None:
    return await bus.at(int(given)) if given.isdecimal() and len(given) < len(str(1 << 63)) else None


async def _by_beginning(bus: Bus, given: str, subjects: str) -> Stored:
    prefix = given.replace("-", "").lower().encode()
    found = []
    if len(prefix) >= _SHORTEST:
        async for message in passage(bus.connection, FACTS, subjects):
            start = message.data.find(_ID) + len(_ID)
            if message.data[start : start + _UUID].replace(b"-", b"").startswith(prefix):
                found.append(message)
    if not found:
        hint = "a sequence, an id or its beginning, or a workflow: cardtrail history AGENT --json shows them"
        raise UsageError("fact-unknown", f'"{given}": no such fact on the log', hint=hint)
    if len({message.data[:_UUID] for message in found}) > 1 or len(found) > 1:
        hint = f"by sequence: {', '.join(str(message.sequence) for message in found[:_SHOWN])}"
        raise UsageError("fact-ambiguous", f'"{given}" begins several facts', hint=hint)
    (only,) = found
    return Stored(sequence=only.sequence, stored_at=only.stored_at, fact=decode(only.data), raw=only.data)
