"""`cardtrail release --json`."""

from typing import Literal

from cardtrail.events.model.value import Value
from cardtrail.services.cli.outputs.told import Told


class ReleaseOutput(Told):
    """`cardtrail release --json`."""

    format: Literal["cardtrail.release/1"]


OUTPUTS: tuple[type[Value], ...] = (ReleaseOutput,)
