"""Messages out: sized before they leave, pipelined, acknowledged one by one, tried again under the same id.

An order is kept: messages go over one connection in order, and whatever lacks its acknowledgement is sent again in order;
the broker drops what it already has by the id (within its duplicate window).
"""

import asyncio
from collections.abc import Sequence
from time import monotonic

import nats.errors

from cardtrail.events.errors import CardtrailError
from cardtrail.events.model.value import Value
from cardtrail.services.bus.acks import Answer
from cardtrail.services.bus.connection import AWAY, Connection
from cardtrail.services.bus.errors import UNSTORED, BrokerRefused, BrokerUnreachable, LogFull, TooLarge

MESSAGE_ID = "Nats-Msg-Id"
ACK_S = 5.0
_WINDOW = 1000
_FULL = {10077, 10047, 10054}  # maximum bytes or messages reached; no storage left
_NOBODY_THERE = 503
_AGAIN_S = 0.05
_HEADER_LINE = len("NATS/1.0\r\n\r\n")


class Message(Value):
    """One message to publish."""

    subject: str
    data: bytes
    headers: dict[str, str] = {}

    def size(self) -> int:
        """Bytes as the broker counts them against max_payload: headers and payload."""
        lines = sum(len(name.encode()) + len(value.encode()) + 4 for name, value in self.headers.items())
        return len(self.data) + (_HEADER_LINE + lines if self.headers else 0)


def check_size(message: Message, cap: int, max_payload: int) -> None:
    """Refuse what is over our own cap or over the broker's limit.

    nats-py leaves headers out of its count, and a publish over the limit closes the connection for good.

    Raises:
        TooLarge: with both numbers.
    """
    limit = min(cap, max_payload)
    if message.size() > limit:
        raise TooLarge("too-large", f"{message.size()} bytes for {message.subject[:120]}, at most {limit} are taken")


async def publish(connection: Connection, messages: Sequence[Message], *, patience_s: float) -> list[int]:
    """The stream sequences in order; gives up after `patience_s` seconds without any acknowledgement.

    Raises:
        BrokerUnreachable: not all acknowledged in time; some may be stored, so repeat under the same ids.
        LogFull, BrokerRefused: the broker will not take one; others may be stored.
    """
    done: dict[int, int] = {}
    deadline = monotonic() + patience_s
    while len(done) < len(messages):
        missing = [index for index in range(len(messages)) if index not in done][:_WINDOW]
        left = deadline - monotonic()
        if left <= 0:
            said = f"{len(messages) - len(done)} of {len(messages)} not stored"
            raise BrokerUnreachable("broker-unreachable", said, hint=UNSTORED)
        try:
            await asyncio.wait_for(connection.connected.wait(), left)
        except TimeoutError:
            continue
        more = await _once(connection, messages, missing, min(ACK_S, left))
        done |= more
        if more:
            deadline = monotonic() + patience_s
        if len(more) < len(missing):
            await asyncio.sleep(_AGAIN_S)  # answered at once that nobody is there: the broker is coming up
    return [done[index] for index in range(len(messages))]


async def _once(
    connection: Connection, messages: Sequence[Message], missing: list[int], within_s: float
) -> dict[int, int]:
    sent: dict[int, asyncio.Future[Answer]] = {}
    try:
        for index in missing:
            message = messages[index]
            sent[index] = await connection.acks.send(
                connection.nc, message.subject, message.data, message.headers or None
            )
    except AWAY:
        pass  # the connection went away under us; what was sent may still be acknowledged
    except nats.errors.Error as error:
        raise BrokerRefused("broker-refused", f"not a message: {error!r}") from error
    if sent:
        await asyncio.wait(sent.values(), timeout=within_s)
    done: dict[int, int] = {}
    refusals: list[CardtrailError] = []
    for index, future in sent.items():
        if not future.done():
            future.cancel()
        elif "error" not in future.result():
            done[index] = int(future.result()["seq"])
        elif (refusal := _refusal(future.result()["error"])) is not None:
            refusals.append(refusal)
    if refusals:
        raise refusals[0]
    return done


def _refusal(error: Answer) -> CardtrailError | None:
    """What the broker's error means; None where it may be tried again (503: nobody there yet)."""
    code, text = error.get("err_code", 0), str(error.get("description", ""))
    if code in _FULL:
        return LogFull("log-full", f"the stream takes nothing more: {text}")
    if error.get("code") == _NOBODY_THERE:
        return None
    return BrokerRefused("broker-refused", f"{text} ({code})")
