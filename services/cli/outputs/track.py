"""`cardtrail track --json`."""

from typing import Literal

from cardtrail.events.model.value import Value
from cardtrail.services.cli.outputs.told import Told


class TrackOutput(Told):
    """`cardtrail track TARGET --json`: agents and locks that are new or changed."""

    format: Literal["cardtrail.track/1"]


OUTPUTS: tuple[type[Value], ...] = (TrackOutput,)
