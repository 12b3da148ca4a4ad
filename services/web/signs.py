"""Signs of life of the services behind the rows: a broker that lives says nothing of a tracker that fell silent."""

import asyncio
from collections.abc import Callable
from datetime import datetime

from cardtrail.events.errors import CardtrailError
from cardtrail.events.model.beat import Beat
from cardtrail.services.bus.alive import beats
from cardtrail.services.bus.connection import Connection
from cardtrail.services.planner.permission import Blindness
from cardtrail.services.planner.pulse import PATH, Pulse

SILENCE_S = 60.0
_AGAIN_S = 1.0


class Signs:
    """The last sign of each service; whoever reads rows is told by the rule that planners go by."""

    def __init__(self, connection: Connection, clock: Callable[[], datetime], silence_s: float = SILENCE_S) -> None:
        """None was heard yet, and none is missed before `silence_s` seconds are over."""
        self._connection, self._clock, self._silence_s = connection, clock, silence_s
        self._start = clock()
        self._last: dict[str, tuple[datetime, Beat]] = {}

    async def run(self) -> None:
        """Listen. Never ends."""
        forget = self._connection.on_back(self._again)
        try:
            while True:
                try:
                    async for beat in beats(self._connection):
                        if beat.service in PATH:
                            self._last[beat.service] = self._clock(), beat
                except CardtrailError:  # the broker is away
                    await asyncio.sleep(_AGAIN_S)
        finally:
            forget()

    def silent(self, principal: str) -> Blindness | None:
        """Since when what is shown to a principal has not been kept, and by which services; None where all is well."""
        pulse = Pulse(self._start, self._silence_s)
        for heard_at, beat in self._last.values():
            pulse.heard(beat.service, beat.silent_for(principal), heard_at)
        return pulse.blind(self._clock())

    def _again(self) -> None:
        """We could not hear ourselves for a while."""
        self._start = self._clock()
        self._last.clear()
