"""A bucket on which somebody has left as many consumers as the broker takes, as a planner's login may."""

import asyncio

from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.errors import BrokerRefused
from cardtrail.services.bus.names import kv_stream, kv_subject

LIMIT = 1000


async def crowd(bus: Bus, bucket: str, most: int = LIMIT + 1) -> int:
    """Leave durables on a bucket, at most so many; how many the broker took."""
    stream, keys = kv_stream(bucket), kv_subject(bucket)

    async def leave(number: int) -> bool:
        name = f"left-{number}"
        config = {"name": name, "durable_name": name, "mem_storage": True, "filter_subject": keys}
        config |= {"ack_policy": "none"}
        question = {"stream_name": stream, "config": config}
        try:
            await bus.connection.ask(f"CONSUMER.CREATE.{stream}.{name}.{keys}", question, within_s=30)
        except BrokerRefused:
            return False
        return True

    return sum(await asyncio.gather(*(leave(number) for number in range(most))))
