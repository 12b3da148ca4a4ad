"""`cardtrail export --json`."""

from typing import Literal

from cardtrail.events.model.value import Value
from cardtrail.services.bundle.manifest import Manifest


class ExportOutput(Value):
    """`cardtrail export --json`: where the bundle is, and its manifest."""

    format: Literal["cardtrail.export/1"]
    file: str
    manifest: Manifest


OUTPUTS: tuple[type[Value], ...] = (ExportOutput,)
