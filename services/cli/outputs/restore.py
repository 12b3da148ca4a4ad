"""`cardtrail restore --json`."""

from typing import Literal

from cardtrail.events.model.value import Value
from cardtrail.services.cli.outputs.backup import StreamBackup


class RestoreOutput(Value):
    """`cardtrail restore FOLDER --json`: the streams that are there again, as they were."""

    format: Literal["cardtrail.restore/1"]
    streams: tuple[StreamBackup, ...]


OUTPUTS: tuple[type[Value], ...] = (RestoreOutput,)
