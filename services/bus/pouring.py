"""A log poured into an empty broker as it was elsewhere: the same sequences, and with each message the time of its first storing.

Gaps are filled and taken out again, for a stream counts by itself; nothing is republished, so no planner takes the past for now.
The stream gets its usual settings only when all of it is there.
"""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import nats.js.errors

from cardtrail.events.errors import UsageError
from cardtrail.events.subjects import FACT_SUBJECTS
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.connection import foreign
from cardtrail.services.bus.errors import BrokerRefused
from cardtrail.services.bus.kv_batch import BATCH, publish_batch
from cardtrail.services.bus.names import FACTS, IMPORTED, KNOWN_FROM, STORED_NS
from cardtrail.services.bus.publish import Message
from cardtrail.services.bus.streams import Sizes, wanted

_FILLER = Message(subject=FACT_SUBJECTS[-1].replace(">", "filler"), data=b"")
_BYTES = 4 << 20


class Poured(NamedTuple):
    """One message as it was stored."""

    sequence: int
    stored_ns: int
    subject: str
    data: bytes


class Marks(NamedTuple):
    """What the log says of itself: where it came from, from where on nothing is left out, the last sequence it had."""

    name: str
    known_from: int
    through: int


async def pour(bus: Bus, sizes: Sizes, facts: Iterable[Poured], marks: Marks) -> int:
    """Pour a log, ascending by sequence, into a broker without one; how many facts it has.

    Raises:
        UsageError: `log-not-empty`. BrokerRefused: the broker will not have a message, or numbered it otherwise.
    """
    final = wanted(sizes)[0].as_dict() | {
        "metadata": {IMPORTED: marks.name, KNOWN_FROM: str(marks.known_from)},
    }
    await _created(bus, final)
    count = 0
    for batch, last, told in _batches(_numbered(facts, marks.through)):
        sequence = await publish_batch(bus.connection, batch)
        if sequence != last:
            raise BrokerRefused(
                "broker-refused", f"fact {last} was stored as {sequence}: somebody else writes this log"
            )
        count += told
    await bus.connection.ask(f"STREAM.PURGE.{FACTS}", {"filter": _FILLER.subject}, within_s=600.0)
    await bus.connection.ask(f"STREAM.UPDATE.{FACTS}", final)
    return count


async def _created(bus: Bus, final: dict[str, Any]) -> None:
    """An empty stream that takes batches and lets fillers be taken out; an empty one that is there gives way."""
    growing = {**final, "allow_atomic": True, "deny_purge": False}
    growing.pop("republish", None)
    try:
        state = (await bus.connection.ask(f"STREAM.INFO.{FACTS}"))["state"]
    except BrokerRefused as refused:
        if not isinstance(refused.__cause__, nats.js.errors.NotFoundError):
            raise
    else:
        if state["last_seq"]:
            hint = "import into an empty folder: CARDTRAIL_DATA=incident cardtrail import BUNDLE"
            raise UsageError("log-not-empty", f"the log holds {state['messages']} facts already", hint=hint)
        with foreign():
            await bus.connection.js.delete_stream(FACTS)
    await bus.connection.ask(f"STREAM.CREATE.{FACTS}", growing)


def _numbered(facts: Iterable[Poured], through: int) -> Iterator[tuple[int, Message, bool]]:
    """Sequence, message, and whether it is a fact: every number from 1 to the end of the log it was."""
    last = 0
    for fact in facts:
        yield from ((number, _FILLER, False) for number in range(last + 1, fact.sequence))
        yield fact.sequence, _message(fact), True
        last = fact.sequence
    yield from ((number, _FILLER, False) for number in range(last + 1, through + 1))


def _batches(numbered: Iterable[tuple[int, Message, bool]]) -> Iterator[tuple[list[Message], int, int]]:
    """As many as fit into one batch, the sequence of the last, and how many of them are facts."""
    batch: list[Message] = []
    size = told = last = 0
    for number, message, is_fact in numbered:
        batch.append(message)
        last, size, told = number, size + len(message.data), told + is_fact
        if len(batch) == BATCH or size > _BYTES:
            yield batch, last, told
            batch, size, told = [], 0, 0
    if batch:
        yield batch, last, told


def _message(fact: Poured) -> Message:
    """Without an id: a fact that was stored twice is stored twice again."""
    return Message(subject=fact.subject, data=fact.data, headers={STORED_NS: str(fact.stored_ns)})
