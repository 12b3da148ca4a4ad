"""What a run holds back, in its log: said once, then seldom and with the count, and once when it is over."""

import logging
from collections.abc import Callable, Mapping
from time import monotonic

from cardtrail.projections.projection import Key, Row
from cardtrail.services.bus.retried import AGAIN_S

_LONGEST = 300
_MEND = "cardtrail doctor says what to do; cardtrail replay --parked has it tried again"


class Holding:
    """The parked facts of one run, `what` begins each line; more of them are said again after `again_s` seconds at most."""

    def __init__(
        self, log: logging.Logger, what: str, *, again_s: float = AGAIN_S, clock: Callable[[], float] = monotonic
    ) -> None:
        """Nothing is held back."""
        self._log, self._what, self._again_s, self._clock = log, what, again_s, clock
        self._told, self._said_at = 0, 0.0

    def holds(self, parked: Mapping[Key, Row]) -> None:
        """What is held back now, by lane and sequence."""
        now, count = self._clock(), len(parked)
        if not count:
            if self._told:
                self._log.warning("%s holds no fact back any more", self._what)
        elif not self._told:
            first = next(iter(parked.values()))
            why = f"{first['reason']} ({first['detail']})"[:_LONGEST]
            said = "%s holds fact %s back, and with it the later ones of its agent: %s; %s"
            self._log.warning(said, self._what, first["sequence"], why, _MEND)
        elif count != self._told and now - self._said_at >= self._again_s:
            self._log.warning("%s holds %d facts back; %s", self._what, count, _MEND)
        else:
            return
        self._told, self._said_at = count, now
