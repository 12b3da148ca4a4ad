"""A heartbeat that pages wait for: something that they may show has changed."""

import asyncio


class Pulse:
    """Counts changes; whoever waits wakes at the next one."""

    def __init__(self) -> None:
        """Nothing has changed yet."""
        self.version = 0
        self._next = asyncio.Event()

    def beat(self) -> None:
        """Something has changed."""
        self.version += 1
        self._next.set()
        self._next = asyncio.Event()

    async def after(self, version: int, within_s: float) -> int:
        """The version once it is beyond the one given, or as it is when the time is over."""
        if self.version <= version:
            try:
                await asyncio.wait_for(self._next.wait(), within_s)
            except TimeoutError:
                return self.version
        return self.version
