"""What a bucket holds, by the broker's batched direct get (nats-server 2.11, ADR-31), spoken by hand; nats-py has no call for it.

No consumer is made: a stream has no more than 1,000, and whoever may watch a bucket may make them all. A bucket keeps one
message a key, so its messages in order are its rows; a key that changes meanwhile comes again at the end.
"""

import asyncio
import json
from typing import Any, NamedTuple

from nats.aio.msg import Msg
from pydantic_core import from_json

from cardtrail.services.bus.connection import REQUEST_S, Connection, foreign
from cardtrail.services.bus.errors import BrokerRefused, BrokerUnreachable
from cardtrail.services.bus.names import kv_stream, kv_subject

_AT_ONCE = 1000
_ROW = {"table", "key", "row", "through"}
_ENDED, _NOTHING, _NOBODY = "204", "404", "503"


class KvMessage(NamedTuple):
    """What is stored under a key: its subject, the value, the sequence in the bucket's stream."""

    subject: str
    data: bytes
    sequence: int


def kv_value(data: bytes) -> dict[str, Any] | None:
    """A row's members, or the position's; None where somebody else wrote this."""
    try:
        value = from_json(data)
    except ValueError:
        return None
    if isinstance(value, dict) and (isinstance(value.get("position"), int) or value.keys() >= _ROW):
        return value
    return None


async def kv_rows(
    connection: Connection, bucket: str, keys: str = ">", after: int = 0, *, within_s: float = REQUEST_S
) -> list[KvMessage]:
    """The newest value of each key that matches, in stream order; with `after`, only what was written behind that.

    Raises:
        BrokerRefused: there is no such bucket, or it has no direct get.
        BrokerUnreachable: nothing came for `within_s` seconds, or not all of it.
    """
    found: dict[str, KvMessage] = {}
    pending = True
    while pending:
        wanted = {"seq": after + 1, "batch": _AT_ONCE, "next_by_subj": kv_subject(bucket, keys)}
        messages, pending = await _batch(connection, kv_stream(bucket), json.dumps(wanted).encode(), within_s)
        for message in messages:
            found.pop(message.subject, None)
            found[message.subject] = message
            after = message.sequence
    return list(found.values())


async def _batch(connection: Connection, stream: str, wanted: bytes, within_s: float) -> tuple[list[KvMessage], bool]:
    """Some of the messages, and whether more are there."""
    arrived: asyncio.Queue[Msg] = asyncio.Queue()
    inbox = connection.nc.new_inbox()
    end = await connection.listen_directly(inbox, arrived.put_nowait)
    found: list[KvMessage] = []
    try:
        with foreign():
            await connection.nc.publish(f"{connection.api}.DIRECT.GET.{stream}", wanted, reply=inbox)
            while True:
                message = await asyncio.wait_for(arrived.get(), within_s)
                headers = message.headers or {}
                if (status := headers.get("Status")) is not None:
                    return found, await _ending(connection, stream, status, headers, found)
                _follows(stream, headers, found)
                found.append(KvMessage(headers["Nats-Subject"], message.data, int(headers["Nats-Sequence"])))
    finally:
        with foreign():
            await end()


async def _ending(
    connection: Connection, stream: str, status: str, headers: dict[str, str], found: list[KvMessage]
) -> bool:
    """What the last word of a batch says: whether more is there. Raises as `kv_rows`."""
    if status == _ENDED:
        _follows(stream, headers, found)
        return int(headers.get("Nats-Num-Pending", 0)) > 0
    if status == _NOTHING:
        return False
    if (
        status == _NOBODY and (await connection.js.stream_info(stream)).config.allow_direct
    ):  # refused by name if missing
        raise BrokerUnreachable("broker-unreachable", f"{stream} does not answer yet")
    raise BrokerRefused("broker-refused", f"{stream} gives no rows: {status}")


def _follows(stream: str, headers: dict[str, str], found: list[KvMessage]) -> None:
    """Each message names the one before it in its batch, 0 at the beginning."""
    before = int(headers.get("Nats-Last-Sequence", 0))
    if found and before != found[-1].sequence:
        raise BrokerUnreachable("broker-unreachable", f"reading {stream} was interrupted: messages were lost")
