"""What is tried again and again: its failure is said once, then seldom and with a count, and once when it is over.

A disk that is full for a night must not fill the log of the night, nor may the log look as if nothing were wrong.
"""

import asyncio
import logging
from collections.abc import Callable
from time import monotonic

AGAIN_S, QUIET_S = 600.0, 20.0


class Retried:
    """One thing that a process tries until it works, in an event loop; `what` begins each line.

    Another failure than the ones that were said already is said at once; the same are counted for `again_s` seconds. It is over
    once it has worked and `quiet_s` seconds went by without a failure, so what works now and then is one trouble, not many.
    """

    def __init__(  # noqa: PLR0913 — how seldom, and by which clock
        self,
        log: logging.Logger,
        what: str,
        *,
        level: int = logging.WARNING,
        again_s: float = AGAIN_S,
        quiet_s: float = QUIET_S,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        """Nothing has failed yet."""
        self._log, self._what, self._level = log, what, level
        self._again_s, self._quiet_s, self._clock = again_s, quiet_s, clock
        self._said: set[str] = set()
        self._count = 0
        self._since = self._said_at = 0.0
        self._ending: asyncio.TimerHandle | None = None

    def failed(self, kind: str, why: object, defect: Exception | None = None) -> None:
        """It did not work, by a `kind` of failure such as an error's code; a `defect` is said with its trace."""
        self._stay()
        now = self._clock()
        self._since = self._since if self._count else now
        self._count += 1
        if kind not in self._said:
            self._log.log(self._level, "%s: %s; tried again until it works", self._what, why, exc_info=defect)
            self._said.add(kind)
        elif now - self._said_at >= self._again_s:
            self._log.log(self._level, "%s: %s; %s", self._what, why, self._so_far(now))
        else:
            return
        self._said_at = now

    @property
    def failing(self) -> bool:
        """Whether it is not over."""
        return self._count > 0

    def worked(self) -> None:
        """It did work."""
        if self._count and self._ending is None:
            self._ending = asyncio.get_running_loop().call_later(self._quiet_s, self._over)

    def _over(self) -> None:
        self._log.log(self._level, "%s: works again; %s", self._what, self._so_far(self._clock()))
        self._ending, self._count = None, 0
        self._said.clear()

    def _stay(self) -> None:
        if self._ending is not None:
            self._ending.cancel()
            self._ending = None

    def _so_far(self, now: float) -> str:
        return f"failed {self._count} times within {max(now - self._since, 1.0):.0f} s"
