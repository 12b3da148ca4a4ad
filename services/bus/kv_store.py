"""A fold's rows in a key-value bucket, one per projection and principal: what planners watch.

Each commit is one atomic batch: the changed keys, then `_position` under the sequence it had when we last wrote or read
it. Either all of it is stored or none, and a second writer is refused whole. A bucket is never deleted, purged or swapped,
because its watchers would silently miss it: a rebuild fills a side store and writes only what differs.
"""

from typing import Any

from nats.js.api import (
    DiscardPolicy,
    RetentionPolicy,
    StorageType,
    StoreCompression,
    StreamConfig,
    StreamConsumerLimits,
)

from cardtrail.events.fact import dump
from cardtrail.events.subjects import token
from cardtrail.projections.projection import Changes, Key, Row, Rows
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.connection import foreign
from cardtrail.services.bus.errors import BrokerRefused, StaleWriter
from cardtrail.services.bus.kv_batch import BATCH, publish_batch
from cardtrail.services.bus.kv_rows import kv_rows, kv_value
from cardtrail.services.bus.names import POSITION_KEY, bucket_name, kv_stream, kv_subject
from cardtrail.services.bus.publish import Message
from cardtrail.services.bus.stores import MemoryStore
from cardtrail.services.bus.streams import Difference, differences, live_config

EXPECTED = "Nats-Expected-Last-Subject-Sequence"
DELETED = {"KV-Operation": "DEL"}  # so that any tool sees a deletion; the value says whose
FORGOTTEN_S = 60.0
"""A consumer that nobody uses for so long is gone, a durable one, too; a watch asks for less."""


def bucket_config(bucket: str) -> StreamConfig:
    """The stream of a bucket: the last value of each key, atomic batches, nothing removed from outside; idle consumers go."""
    return StreamConfig(
        name=kv_stream(bucket),
        subjects=[kv_subject(bucket)],
        max_msgs_per_subject=1,
        retention=RetentionPolicy.LIMITS,
        duplicate_window=120.0,
        storage=StorageType.FILE,
        discard=DiscardPolicy.NEW,
        compression=StoreCompression.S2,
        deny_delete=True,
        allow_direct=True,
        allow_rollup_hdrs=True,
        allow_atomic=True,
        num_replicas=1,
        consumer_limits=StreamConsumerLimits(inactive_threshold=FORGOTTEN_S),
    )


def kv_key(table: str, key: Key) -> str:
    """The bucket key of a row: the table and the key's parts as tokens, joined by dots."""
    return ".".join((token(table), *(token(part) for part in key)))


class KvStore:
    """A `Store` in a bucket. A value is `{"table": …, "key": […], "row": {…} or null, "through": sequence}`."""

    def __init__(self, bus: Bus, projection: str, principal: str) -> None:
        """`principal` whose view the rows are; the bucket is `<projection>_<principal>`."""
        self.bucket = bucket_name(projection, principal)
        self.differences: tuple[Difference, ...] = ()
        self._connection = bus.connection
        self._expected = 0
        self.position = 0

    async def load(self) -> tuple[Rows, int]:
        """Rows and position as the bucket has them now; creates the bucket when it is missing.

        Raises:
            BrokerUnreachable, BrokerRefused: as the broker says, or the bucket holds what is no row.
        """
        return Rows(await self.tables()), self.position

    async def tables(self) -> dict[str, dict[Key, Row]]:
        """The rows by table and key; from here on nobody else may write."""
        await self._ensure()
        tables: dict[str, dict[Key, Row]] = {}
        self._expected = self.position = 0
        for message in await kv_rows(self._connection, self.bucket):
            value = kv_value(message.data)
            if value is None:
                raise BrokerRefused("broker-refused", f"what stands under {message.subject} is no row of ours")
            if message.subject == kv_subject(self.bucket, POSITION_KEY):
                self._expected, self.position = message.sequence, int(value["position"])
                continue
            if value["row"] is not None:
                tables.setdefault(value["table"], {})[tuple(value["key"])] = value["row"]
        return tables

    async def commit(self, rows: Rows, position: int) -> None:
        """See `Store`; a bucket has no use for appended rows.

        Raises:
            StaleWriter: somebody else has written the bucket; nothing of ours was.
            BrokerUnreachable: it is unknown whether the batch was stored; load anew.
        """
        rows.taken_appends()
        await self.write(rows.taken(), position)

    async def write(self, changes: Changes, position: int) -> None:
        """More than 999 changes go in several batches, the new position in the last; each is guarded alike."""
        messages = [self._message(table, key, row, position) for (table, key), row in changes.items()]
        room = BATCH - 1
        chunks = [messages[at : at + room] for at in range(0, len(messages), room)] or [[]]
        for chunk in chunks[:-1]:
            await self._write(chunk, self.position)
        await self._write(chunks[-1], position)

    async def _write(self, messages: list[Message], position: int) -> None:
        guard = Message(
            subject=kv_subject(self.bucket, POSITION_KEY),
            data=dump({"position": position}),
            headers={EXPECTED: str(self._expected)},
        )
        sequence = await publish_batch(self._connection, [*messages, guard])
        if sequence is None:
            raise StaleWriter("stale-writer", f"the bucket {self.bucket} was written by somebody else")
        self._expected, self.position = sequence, position

    def _message(self, table: str, key: Key, row: Row | None, position: int) -> Message:
        subject = kv_subject(self.bucket, kv_key(table, key))
        value: dict[str, Any] = {"table": table, "key": list(key), "row": row, "through": position}
        return Message(subject=subject, data=dump(value), headers=DELETED if row is None else {})

    async def _ensure(self) -> None:
        config = bucket_config(self.bucket)
        with foreign():
            self.differences = differences(config, await live_config(self._connection.js, config))


class SideStore(MemoryStore):
    """Where a rebuild of a bucket grows, from nothing; `finish` writes into the bucket only what differs."""

    def __init__(self, live: KvStore) -> None:
        """`live` is the bucket whose watchers must not notice more than the differences."""
        super().__init__()
        self._live = live

    async def finish(self) -> int:
        """Bring the bucket to this state and position; how many keys had to change.

        Raises:
            StaleWriter: the live run wrote meanwhile: stop it first, then finish again.
        """
        live = await self._live.tables()
        changes: Changes = {}
        for table in {*live, *self.tables}:
            held, built = live.get(table, {}), self.tables.get(table, {})
            changes |= {(table, key): None for key in held if key not in built}
            changes |= {(table, key): row for key, row in built.items() if held.get(key) != row}
        await self._live.write(changes, self.position)
        return len(changes)
