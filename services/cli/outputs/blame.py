"""`cardtrail blame --json`."""

from typing import Literal

from cardtrail.events.model.value import Value
from cardtrail.services.audit.blame import Held


class BlameOutput(Value):
    """`cardtrail blame AGENT [CAPABILITY] --json`: every value of one capability, oldest first, or the last of each.

    `through` is the last sequence read; `known_from` above 1: the log begins there, and what came before is not known;
    `unreadable` are sequences that this release cannot read.
    """

    format: Literal["cardtrail.blame/1"]
    agent: str
    principal: str
    capability: str | None
    as_of: str | None
    through: int
    known_from: int
    unreadable: tuple[int, ...]
    values: tuple[Held, ...]


OUTPUTS: tuple[type[Value], ...] = (BlameOutput,)
