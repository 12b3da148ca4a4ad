"""`cardtrail ack --json`."""

from typing import Literal

from cardtrail.events.model.value import Value
from cardtrail.services.cli.outputs.told import Told


class AckOutput(Told):
    """`cardtrail ack --json`."""

    format: Literal["cardtrail.ack/1"]


OUTPUTS: tuple[type[Value], ...] = (AckOutput,)
