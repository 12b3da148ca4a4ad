"""Whose turn it is at a host: the instants at which a fetcher begins its looks there, never closer than a gap. Pure.

The schedule spaces first looks; this holds where jobs have piled up, after an outage or on a busy machine.
"""

from cardtrail.services.fetcher.dispatch import NOWHERE
from cardtrail.services.fetcher.schedule import HOST_GAP_S

LONGEST_WAIT_S = 1.0
_MOST_HOSTS = 20_000


class Turns:
    """The next free instant of each host, seconds on the caller's clock; `gap_s` lies between two looks at one host."""

    def __init__(self, gap_s: float = HOST_GAP_S) -> None:
        """Every host is free."""
        self._gap_s = gap_s
        self._free: dict[str, float] = {}

    def wait_s(self, host: str, now: float) -> float:
        """How long to wait before this look; one second at most is a turn taken, more means: come again then, none is taken."""
        if host == NOWHERE:
            return 0.0
        if len(self._free) > _MOST_HOSTS:
            self._free = {name: free for name, free in self._free.items() if free > now}
        begins = max(now, self._free.get(host, now))
        if begins - now <= LONGEST_WAIT_S:
            self._free[host] = begins + self._gap_s
        return begins - now
