"""Whether the tracker behind the broker lives: its services say so every few seconds, and a planner keeps the last time. Pure."""

from datetime import datetime, timedelta

from cardtrail.services.planner.permission import Blindness

PATH = ("compiler", "decider", "projector")
"""The services that an observation passes through on its way to a planner; how long there may be none, `stale_after` says."""


class Pulse:
    """When each service was last known to live. Silence counts from `start`, for those never heard, too."""

    def __init__(self, start: datetime, silence_s: float) -> None:
        """`silence_s` seconds without a sign of life make a planner blind: longer than a service takes to restart."""
        self._silence = timedelta(seconds=silence_s)
        self._start = start
        self._alive: dict[str, datetime] = {}

    def heard(self, service: str, silent_s: float, now: datetime) -> None:
        """A sign of life, with how long the service's slowest fold has stood still."""
        if service in PATH:
            self._alive[service] = now - timedelta(seconds=silent_s)

    def again(self, now: datetime) -> None:
        """We were away ourselves, and could not hear."""
        self._start = now
        self._alive.clear()

    def blind(self, now: datetime) -> Blindness | None:
        """Since when a service has been silent for too long, None while none has."""
        last = {service: self._alive.get(service, self._start) for service in PATH}
        silent = [service for service in PATH if now - last[service] > self._silence]
        if not silent:
            return None
        return Blindness(since=min(last[one] for one in silent), why="tracker-silent", detail=", ".join(silent))
