"""`cardtrail archive --json`."""

from typing import Literal

from cardtrail.events.model.value import Value


class ArchiveOutput(Value):
    """What the archive holds now, and how much of it this run wrote; `through` is the last fact's place in the log."""

    format: Literal["cardtrail.archive/1"]
    folder: str
    facts: int
    files: int
    written: int
    through: int


OUTPUTS: tuple[type[Value], ...] = (ArchiveOutput,)
