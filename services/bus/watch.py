"""A planner's view of one bucket: every key's last value, then every change, and always whether that view can be trusted.

nats-py's own watch notices a killed broker after 19 s and says nothing meanwhile. This one is a named consumer pulled with
heartbeats: `blind` within 3 s (at once when the connection drops), and after each interruption it begins again with the
last value of every key, so nothing is missed. Deleted keys stay in the bucket as markers, so a deletion is seen too.

A stream has only so many consumers, and one planner's login can leave as many as it likes. Where there is room for no more,
the bucket is looked at every second instead.
"""

import asyncio
import secrets
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from datetime import UTC, datetime
from typing import Any, Literal

import nats.js.errors

from cardtrail.events.model.value import Value
from cardtrail.events.subjects import token
from cardtrail.services.bus.connection import Connection, foreign
from cardtrail.services.bus.errors import BrokerRefused, BrokerUnreachable
from cardtrail.services.bus.kv_rows import KvMessage, kv_rows, kv_value
from cardtrail.services.bus.names import POSITION_KEY, bucket_name, kv_stream, kv_subject
from cardtrail.services.bus.pull import Delivered, Interrupted, Pull
from cardtrail.services.bus.snapshot import snapshot_config

_AT_ONCE = 1024
_AGAIN_S = 0.2
_LOOK_S, _ANSWERS_S = 1.0, 2.0
_NO_MORE_CONSUMERS = 10026
State = Literal["catching-up", "live", "blind"]


class Standing(Value):
    """What the view is worth from here on: `blind` since an instant means that changes may have been missed."""

    state: State
    since: datetime


class Change(Value):
    """A row as it is now (None = gone); `through` is the sequence of the last fact when it was written."""

    table: str
    key: tuple[str, ...]
    row: dict[str, Any] | None
    through: int


class Watch:
    """The bucket of one projection for one principal, or the keys of it that match. One `changes()` at a time."""

    def __init__(self, connection: Connection, projection: str, principal: str, keys: str = ">") -> None:
        """The consumer's name begins with the principal, so an operator sees whose it is; `position` needs all keys."""
        self._bucket, self._keys = bucket_name(projection, principal), keys
        self._connection = connection
        self._stream, self._prefix = kv_stream(self._bucket), kv_subject(self._bucket, "")
        self._principal = token(principal)
        self._pull = Pull(connection, connection.listen_directly, window=_AT_ONCE)
        self.standing = Standing(state="catching-up", since=datetime.now(UTC))
        self.position = 0

    async def changes(self) -> AsyncIterator[Change | Standing]:
        """All rows, `live`, then each change; `blind` and a new beginning whenever the flow is interrupted. Never ends.

        Raises:
            BrokerRefused: there is no such bucket. (To an account that may not watch it the broker says nothing: `blind`.)
            BrokerUnreachable: the connection is closed for good.
        """
        try:
            while True:
                yield self._stand("catching-up")
                try:
                    async with aclosing(self._flow()) as flow:
                        async for seen in flow:
                            yield seen
                except (Interrupted, BrokerUnreachable):
                    yield self._stand("blind")
                await self._await_connection()
        finally:
            await self._pull.end()

    async def _flow(self) -> AsyncGenerator[Change | Standing, None]:
        pending = await self._begin()
        if pending is None:
            async with aclosing(self._looks()) as looks:
                async for seen in looks:
                    yield seen
        if pending == 0:
            yield self._stand("live")
        while True:
            for message in await self._pull.take(_AT_ONCE):
                if (change := self._change(message)) is not None:
                    yield change
                if message.pending == 0 and self.standing.state != "live":
                    yield self._stand("live")

    async def _looks(self) -> AsyncGenerator[Change | Standing, None]:
        """The same without a consumer: what was written behind what was seen last, every second. Never ends."""
        after = 0
        while True:
            for message in await kv_rows(self._connection, self._bucket, self._keys, after, within_s=_ANSWERS_S):
                after = message.sequence
                if (change := self._change(message)) is not None:
                    yield change
            if self.standing.state != "live":
                yield self._stand("live")
            await asyncio.sleep(_LOOK_S)

    async def _begin(self) -> int | None:
        """How many messages are there already; None where the stream has as many consumers as it takes."""
        name = f"{self._principal}-{secrets.token_hex(8)}"
        try:
            with foreign():
                config = snapshot_config(name, kv_subject(self._bucket, self._keys))
                info = await self._connection.js.add_consumer(self._stream, config)
        except BrokerRefused as refused:
            if _is_crowded(refused):
                return None
            raise
        await self._pull.begin(self._stream, name, 0)
        return info.num_pending or 0

    async def _await_connection(self) -> None:
        if self._connection.closed.is_set():
            raise BrokerUnreachable("broker-closed", "the connection to the broker is closed for good")
        await asyncio.sleep(_AGAIN_S)
        while not self._connection.connected.is_set():
            await asyncio.wait_for(self._connection.connected.wait(), None)

    def _stand(self, state: State) -> Standing:
        self.standing = Standing(state=state, since=datetime.now(UTC))
        return self.standing

    def _change(self, message: Delivered | KvMessage) -> Change | None:
        value = kv_value(message.data)
        if value is None:  # not ours; the projector says that it cannot keep this bucket
            return None
        if message.subject == self._prefix + POSITION_KEY:
            self.position = int(value["position"])
            return None
        return Change.model_validate(value)


def _is_crowded(refused: BrokerRefused) -> bool:
    cause = refused.__cause__
    return isinstance(cause, nats.js.errors.APIError) and cause.err_code == _NO_MORE_CONSUMERS
