"""The past of one agent as the log has it: every fact about it in stream order, and what was known at an instant."""

import heapq
import secrets
from collections.abc import AsyncIterator, Iterable
from datetime import datetime, timedelta

from nats.js.api import AckPolicy, ConsumerConfig, DeliverPolicy

from cardtrail.events import Stored
from cardtrail.events.errors import EventRefused
from cardtrail.events.fact import instant
from cardtrail.events.subjects import ALL, shard, token
from cardtrail.events.upcast import decode
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.connection import foreign
from cardtrail.services.bus.names import FACTS
from cardtrail.services.bus.pull import Delivered
from cardtrail.services.bus.snapshot import passage


async def facts_about(bus: Bus, names: Iterable[str], through: int, *, after: int = 0) -> AsyncIterator[Stored | int]:
    """The facts under these names of an agent, as `facts_on` gives them."""
    async for found in facts_on(
        bus, [subject for name in names for subject in subjects_about(name)], through, after=after
    ):
        yield found


async def facts_on(bus: Bus, subjects: Iterable[str], through: int, *, after: int = 0) -> AsyncIterator[Stored | int]:
    """The facts on these subjects behind `after` up to `through`, in stream order; an unreadable one as its number.

    Each subject has a reader of its own: one with several filters is thirty times slower.

    Raises:
        BrokerUnreachable: it was interrupted; ask again.
    """
    async for message in messages(bus, subjects, through, after=after):
        try:
            fact = decode(message.data)
        except EventRefused:
            yield message.sequence
            continue
        yield Stored(sequence=message.sequence, stored_at=message.stored_at, fact=fact, raw=message.data)


async def messages(bus: Bus, subjects: Iterable[str], through: int, *, after: int = 0) -> AsyncIterator[Delivered]:
    """What is stored under any of these subjects behind `after` up to `through`, in order, each once. Raises as above."""
    readers = [passage(bus.connection, FACTS, subject, after, through=through) for subject in subjects]
    last = 0
    async for message in _merged(readers):
        if message.sequence > last:
            yield message
        last = message.sequence


async def known_at(bus: Bus, at: datetime) -> int:
    """The sequence of the last fact that was stored at this instant, 0 before the first; found by the broker's own index.

    An imported log is read instead: its broker stored it later. What counts is the latest time up to each fact.
    """
    if bus.connection.imported:
        return await _read_until(bus, at)
    config = ConsumerConfig(
        name=f"at-{secrets.token_hex(8)}",
        deliver_policy=DeliverPolicy.BY_START_TIME,
        opt_start_time=instant(at + timedelta(microseconds=1)),  # type: ignore[arg-type]  # nats-py passes it on as it is, and the API wants RFC 3339
        ack_policy=AckPolicy.NONE,
        mem_storage=True,
        inactive_threshold=1.0,
    )
    with foreign():
        info = await bus.connection.js.add_consumer(FACTS, config)
    return info.delivered.stream_seq if info.delivered is not None else 0


async def _read_until(bus: Bus, at: datetime) -> int:
    last = 0
    async for message in passage(bus.connection, FACTS, ALL):
        if message.stored_at > at:
            break
        last = message.sequence
    return last


def subjects_about(agent: str) -> tuple[str, str]:
    """Where everything about an agent lies: its facts, and the decisions about it."""
    name = token(agent)
    return f"cardtrail.events.{shard(agent)}.{name}.>", f"cardtrail.decisions.*.{name}"


async def _merged(readers: list[AsyncIterator[Delivered]]) -> AsyncIterator[Delivered]:
    heads: list[tuple[int, int, Delivered]] = []
    try:
        for place, reader in enumerate(readers):
            async for message in reader:
                heapq.heappush(heads, (message.sequence, place, message))
                break
        while heads:
            _, place, message = heapq.heappop(heads)
            yield message
            async for following in readers[place]:
                heapq.heappush(heads, (following.sequence, place, following))
                break
    finally:
        for reader in readers:
            await reader.aclose()  # type: ignore[attr-defined]
