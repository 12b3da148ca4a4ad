"""`cardtrail untrack --json`."""

from typing import Literal

from cardtrail.events.model.value import Value
from cardtrail.services.cli.outputs.told import Told


class UntrackOutput(Told):
    """`cardtrail untrack --json`."""

    format: Literal["cardtrail.untrack/1"]


OUTPUTS: tuple[type[Value], ...] = (UntrackOutput,)
