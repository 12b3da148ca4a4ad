"""The newest of what only grows: where things lie in the log, as many as are asked for often. Pure."""

from collections.abc import Hashable
from typing import Generic, TypeVar

Name = TypeVar("Name", bound=Hashable)


class Window(Generic[Name]):
    """Sequences by name, at most `most` of them; `floor` is the highest that was let go, 0 while all are here."""

    def __init__(self, most: int) -> None:
        """Nothing is known yet."""
        self._most = most
        self._held: dict[Name, int] = {}
        self.floor = 0

    def put(self, name: Name, sequence: int) -> None:
        """The last place of this name; whoever has not moved for longest is let go."""
        self._held.pop(name, None)
        self._held[name] = sequence
        if len(self._held) > self._most:
            self.floor = max(self.floor, self._held.pop(next(iter(self._held))))

    def get(self, name: Name) -> int | None:
        """Its place, None where it is not among the newest."""
        return self._held.get(name)
