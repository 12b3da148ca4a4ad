"""`cardtrail refresh --json`."""

from typing import Literal

from cardtrail.events.model.value import Value
from cardtrail.services.cli.outputs.history import HistoryEntry
from cardtrail.services.cli.outputs.turns import Turning


class RefreshOutput(Value):
    """`cardtrail refresh AGENT --json`: who is due now; with --wait, what came of it, the entries as `history` tells them.

    `turning` are the locks whose verdict is held because cards take turns.
    """

    format: Literal["cardtrail.refresh/1"]
    agent: str
    principals: tuple[str, ...]
    forced: bool
    waited: bool
    entries: tuple[HistoryEntry, ...]
    turning: tuple[Turning, ...] = ()


OUTPUTS: tuple[type[Value], ...] = (RefreshOutput,)
