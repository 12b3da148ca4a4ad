"""Signs of life of the tracker's services on a plain subject: a planner learns from silence what a quiet bucket hides.

A broker that lives says nothing of a tracker that died: its buckets keep their last values, and look at peace.
"""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable, Mapping

from nats.aio.msg import Msg

from cardtrail.events.errors import CardtrailError
from cardtrail.events.fact import dump
from cardtrail.events.model.beat import Beat, mark
from cardtrail.events.subjects import LIVE_ALIVE, token
from cardtrail.services.bus.connection import Connection, foreign

BEAT_S = 5.0
_LOOK_S = 0.5
_LIMIT = 1_000


async def beat(
    connection: Connection,
    service: str,
    silent_s: Callable[[], float | None],
    stop: asyncio.Event,
    behind: Callable[[], Mapping[str, float]] = dict,
) -> None:
    """Say every 5 s that the service lives, until `stop`; a broker that is away is passed over.

    `behind`: the seconds for which a principal's rows could not be kept, by principal.

    None = this instance waits for its place: it says nothing that would hide the silence of the one at work.
    """
    while not stop.is_set():
        silent = silent_s()
        if silent is not None:
            with contextlib.suppress(CardtrailError), foreign():
                late = {mark(principal): round(max(since, 0.0), 3) for principal, since in behind().items()}
                said = Beat(service=service, silent_s=round(max(silent, 0.0), 3), behind=late)
                await connection.nc.publish(f"{LIVE_ALIVE}.{token(service)}", dump(said))
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(stop.wait(), _LOOK_S if silent is None else BEAT_S)


async def beats(connection: Connection) -> AsyncIterator[Beat]:
    """Each sign of life from now on; what is none is passed over."""
    queue: asyncio.Queue[Msg] = asyncio.Queue(_LIMIT)

    def take(message: Msg) -> None:
        if not queue.full():
            queue.put_nowait(message)

    end = await connection.listen_directly(f"{LIVE_ALIVE}.*", take)
    try:
        while True:
            message = await queue.get()
            with contextlib.suppress(ValueError, TypeError):
                yield Beat.model_validate(json.loads(message.data), extra="ignore")
    finally:
        with contextlib.suppress(CardtrailError), foreign():
            await end()
