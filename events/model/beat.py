"""What a service of the tracker says while it lives, on `cardtrail.live.alive.<service>`: a sign, never a fact."""

import hashlib
from typing import Annotated

from pydantic import Field

from cardtrail.events.model.value import Value


class Beat(Value):
    """A service lives; `silent_s` is how long its slowest fold has shown no progress and no heartbeat, in seconds.

    `behind` has the seconds for which one principal's rows could not be kept, by its mark: everybody hears this.
    """

    service: str
    silent_s: float = Field(ge=0)
    behind: dict[str, Annotated[float, Field(ge=0)]] = {}

    def silent_for(self, principal: str) -> float:
        """How long the service has kept nothing for this principal, seconds."""
        return max(self.silent_s, self.behind.get(mark(principal), 0.0))


def mark(principal: str) -> str:
    """What stands for a principal where others listen, too."""
    return hashlib.sha256(f"cardtrail.live.alive {principal}".encode("utf-8", "surrogatepass")).hexdigest()[:32]
