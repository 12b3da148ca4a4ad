"""Following the log from a sequence on, through restarts of the broker: nothing missed, nothing twice."""

from collections.abc import AsyncIterator

from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.pull import Delivered
from cardtrail.services.bus.readers import Mode, Reader

_MODE = Mode(window=256, most=64, direct=True, durable=False)


async def follow(bus: Bus, filter_subject: str, after: int) -> AsyncIterator[Delivered]:
    """Every message under one filter behind `after`, as it comes. Never ends.

    Raises:
        LogMismatch: the broker came back with another log. BrokerUnreachable: the connection is closed for good.
    """
    reader = Reader(bus.connection, "follow", filter_subject=filter_subject, mode=_MODE)
    await reader.start(after)
    try:
        while True:
            for message in await reader.batch():
                await reader.ack(message)
                yield message
    finally:
        await reader.close()
