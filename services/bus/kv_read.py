"""Reading a bucket once, without watching it: one row, all of them at one moment, or how far they are."""

import contextlib
from typing import Any

import nats.errors
import nats.js.errors

from cardtrail.projections.projection import Key, Row
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.connection import foreign
from cardtrail.services.bus.errors import BrokerRefused
from cardtrail.services.bus.kv_rows import kv_rows, kv_value
from cardtrail.services.bus.kv_store import kv_key
from cardtrail.services.bus.names import POSITION_KEY, bucket_name, kv_stream, kv_subject

_ABSENT = (nats.js.errors.NotFoundError, nats.errors.NoRespondersError)  # no row, or no bucket: nobody answers for one


async def read_row(bus: Bus, projection: str, principal: str, table: str, key: Key) -> Row | None:
    """One row, None where it is not (or the bucket is not yet)."""
    row: Row | None = (await _value(bus, bucket_name(projection, principal), kv_key(table, key))).get("row")
    return row


async def read_position(bus: Bus, projection: str, principal: str) -> int:
    """The sequence that the rows stand for; 0 where the bucket is not yet."""
    return int((await _value(bus, bucket_name(projection, principal), POSITION_KEY)).get("position", 0))


async def _value(bus: Bus, bucket: str, key: str) -> dict[str, Any]:
    with foreign(), contextlib.suppress(*_ABSENT):
        found = await bus.connection.js.get_msg(kv_stream(bucket), subject=kv_subject(bucket, key), direct=True)
        return kv_value(found.data or b"") or {}
    return {}


async def read_table(bus: Bus, projection: str, principal: str, table: str) -> tuple[dict[Key, Row], int]:
    """All rows of a table and the sequence they stand for; empty and 0 where the bucket is not yet."""
    bucket = bucket_name(projection, principal)
    rows: dict[Key, Row] = {}
    position = 0
    try:
        messages = await kv_rows(bus.connection, bucket)
    except BrokerRefused as refused:
        if isinstance(refused.__cause__, nats.js.errors.NotFoundError):
            return rows, position
        raise
    for message in messages:
        value = kv_value(message.data)
        if value is None:  # not ours; the projector says that it cannot keep this bucket
            continue
        if message.subject == kv_subject(bucket, POSITION_KEY):
            position = int(value["position"])
        elif value["table"] == table and value["row"] is not None:
            rows[tuple(value["key"])] = value["row"]
    return rows, position
