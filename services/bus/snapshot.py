"""Reading a part of a stream once: the last message of every subject at one moment, or all of them from a place on.

A short-lived consumer, not the direct multi-get, which ends at 1,024 subjects. A bucket's rows need none (`kv_rows`).
"""

import secrets
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing

from nats.js.api import AckPolicy, ConsumerConfig, DeliverPolicy

from cardtrail.services.bus.connection import Connection, foreign
from cardtrail.services.bus.errors import BrokerRefused, BrokerUnreachable
from cardtrail.services.bus.pull import Delivered, Interrupted, Pull

_AT_ONCE, _TRIES = 4096, 3


async def snapshot(
    connection: Connection, stream: str, filter_subject: str, *, prefix: str = "snapshot"
) -> list[Delivered]:
    """The last message of each subject, in stream order. `prefix` begins the consumer's name, where permissions ask for one.

    Raises:
        BrokerUnreachable: it was interrupted; ask again.
    """
    config = snapshot_config(f"{prefix}-{secrets.token_hex(8)}", filter_subject)
    try:
        return [message async for message in _all(connection, stream, config)]
    except Interrupted as why:
        raise _away(stream, why) from why


async def passage(
    connection: Connection, stream: str, filter_subject: str, after: int = 0, *, through: int | None = None
) -> AsyncIterator[Delivered]:
    """Every message under a filter behind a sequence, up to `through` or what is there now, in order.

    A flow that ends early, on a busy machine say, goes on behind the last message that came.

    Raises:
        BrokerUnreachable: it was interrupted again and again without a message coming.
    """
    tries = 0
    while True:
        tries += 1
        config = snapshot_config(f"passage-{secrets.token_hex(8)}", filter_subject)
        config.deliver_policy, config.opt_start_seq = DeliverPolicy.BY_START_SEQUENCE, after + 1
        try:
            async with aclosing(_all(connection, stream, config)) as messages:
                async for message in messages:
                    if through is not None and message.sequence > through:
                        return
                    after, tries = message.sequence, 0
                    yield message
        except Interrupted as why:
            if tries >= _TRIES:
                raise _away(stream, why) from why
        else:
            return


async def _all(connection: Connection, stream: str, config: ConsumerConfig) -> AsyncGenerator[Delivered, None]:
    pull = Pull(connection, connection.listen_directly, window=_AT_ONCE)
    with foreign():
        pending = (await connection.js.add_consumer(stream, config)).num_pending or 0
    try:
        if pending:
            await pull.begin(stream, str(config.name), 0)
        while pending:
            for message in await pull.take(_AT_ONCE):
                pending = message.pending
                yield message
    finally:
        await pull.end()
        try:
            with foreign():
                await connection.js.delete_consumer(stream, str(config.name))
        except (BrokerUnreachable, BrokerRefused):
            pass  # its inactivity removes it


def _away(stream: str, why: Interrupted) -> BrokerUnreachable:
    return BrokerUnreachable("broker-unreachable", f"reading {stream} was interrupted: {why}")


def snapshot_config(name: str, filter_subject: str) -> ConsumerConfig:
    """A consumer that begins with the last message of each subject and then follows; forgotten when nobody pulls."""
    return ConsumerConfig(
        name=name,
        deliver_policy=DeliverPolicy.LAST_PER_SUBJECT,
        filter_subject=filter_subject,
        ack_policy=AckPolicy.NONE,
        mem_storage=True,
        inactive_threshold=30.0,
    )
