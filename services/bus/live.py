"""Decisions as they are stored, for planners of one workflow: republished by the broker, once each, with sequence headers.

A core subscription: quick, not durable. The previous sequence on the same subject comes along, so a missed decision is
seen as a gap and answered by reading the bucket again (`watch`).
"""

import asyncio
from collections.abc import AsyncIterator

from nats.aio.msg import Msg

from cardtrail.events import Fact
from cardtrail.events.errors import EventRefused
from cardtrail.events.model.value import Value
from cardtrail.events.subjects import LIVE_DECISIONS, token
from cardtrail.events.upcast import decode
from cardtrail.services.bus.connection import Connection

_LIMIT = 10_000


class LiveDecision(Value):
    """A decision with its sequence; `gap` = an earlier one on its subject, or everything while we were away, was missed."""

    fact: Fact | None
    sequence: int
    gap: bool


async def decisions(connection: Connection, workflow: str) -> AsyncIterator[LiveDecision]:
    """Each decision about the workflow from now on; after a lost connection first one without a fact, which is a gap.

    What cannot be read is a gap too: it is broken, of a newer release, or no decision that the log republished.
    """
    queue: asyncio.Queue[Msg | None] = asyncio.Queue(_LIMIT)
    seen: dict[str, int] = {}

    def take(message: Msg | None) -> None:
        if queue.full():  # we are too slow: what is dropped shows as a gap
            queue.get_nowait()
        queue.put_nowait(message)

    forget = connection.on_back(lambda: take(None))
    end = await connection.listen(f"{LIVE_DECISIONS}.{token(workflow)}.>", take)
    try:
        while True:
            message = await queue.get()
            if message is None:
                seen.clear()
                yield LiveDecision(fact=None, sequence=0, gap=True)
                continue
            yield _read(message, seen)
    finally:
        forget()
        await end()


def _read(message: Msg, seen: dict[str, int]) -> LiveDecision:
    headers = message.headers or {}
    try:
        sequence, before = int(headers["Nats-Sequence"]), int(headers.get("Nats-Last-Sequence", 0))
        fact = decode(message.data)
    except (KeyError, ValueError, EventRefused):
        return LiveDecision(fact=None, sequence=0, gap=True)
    gap = seen.get(message.subject, before) != before
    seen[message.subject] = sequence
    return LiveDecision(fact=fact, sequence=sequence, gap=gap)
