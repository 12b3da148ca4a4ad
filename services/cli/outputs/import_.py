"""`cardtrail import --json`."""

from typing import Literal

from cardtrail.events.model.value import Value


class ImportOutput(Value):
    """`cardtrail import BUNDLE --json`: what is on the log now, under the sequences it had; `bundle` is the manifest's digest."""

    format: Literal["cardtrail.import/1"]
    facts: int
    bodies: int
    agents: tuple[str, ...]
    known_from: int
    through: int
    redacted: bool
    bundle: str


OUTPUTS: tuple[type[Value], ...] = (ImportOutput,)
