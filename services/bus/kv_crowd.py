"""How crowded a bucket is with consumers: whoever may watch it may leave as many as the broker takes.

The broker keeps no record of who made a consumer; its name is what its maker called it, and a bucket's only makers beside
the services are the planners of its principal.
"""

import contextlib
from collections import Counter

import nats.js.errors

from cardtrail.events.model.value import Value
from cardtrail.services.bus.connection import Connection, foreign
from cardtrail.services.bus.kv_store import bucket_config
from cardtrail.services.bus.names import bucket_name, kv_stream
from cardtrail.services.bus.streams import Difference, differences

MOST = 1_000
"""So many consumers nats-server gives a stream that sets no limit of its own."""
_LOOKED_AT = 100
_SHOWN = 3


class Crowd(Value):
    """The consumers of one bucket: how many of how many, the commonest beginnings of their names, since when the oldest is."""

    stream: str
    principal: str
    consumers: int
    most: int
    names: tuple[str, ...] = ()
    since: str = ""
    differences: tuple[Difference, ...] = ()


async def crowd_of(connection: Connection, projection: str, principal: str) -> Crowd | None:
    """What the broker says of a bucket, None where it is not yet.

    Raises:
        BrokerUnreachable, BrokerRefused: as the broker says.
    """
    bucket = bucket_name(projection, principal)
    stream = kv_stream(bucket)
    with foreign(), contextlib.suppress(nats.js.errors.NotFoundError):
        info = await connection.js.stream_info(stream)
        count, limit = info.state.consumer_count, info.config.max_consumers or -1
        found = Crowd(
            stream=stream,
            principal=principal,
            consumers=count,
            most=limit if limit > 0 else MOST,
            differences=differences(bucket_config(bucket), info.config),
        )
        return await _named(connection, found) if count > _LOOKED_AT else found
    return None


async def _named(connection: Connection, found: Crowd) -> Crowd:
    """The same with names, of those that the broker lists first."""
    listed = (await connection.ask(f"CONSUMER.LIST.{found.stream}"))["consumers"]
    begun = Counter(_beginning(str(one["name"])) for one in listed)
    names = tuple(f"{name}… ({count} of {len(listed)})" for name, count in begun.most_common(_SHOWN))
    return found.model_copy(update={"names": names, "since": min((one["created"] for one in listed), default="")})


def _beginning(name: str) -> str:
    """What is the same in names that differ by a number or by what stands behind a dash."""
    head, dash, _ = name.rpartition("-")
    return (head + dash if dash else name.rstrip("0123456789"))[:40]
