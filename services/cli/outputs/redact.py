"""`cardtrail redact --json`."""

from typing import Literal

from cardtrail.events.model.value import Value
from cardtrail.services.cli.outputs.told import Told


class RedactOutput(Told):
    """`cardtrail redact --json`: `raw_digest` of the bytes that are gone, `look` is the fact that brought them."""

    format: Literal["cardtrail.redact/1"]
    raw_digest: str
    look: int


OUTPUTS: tuple[type[Value], ...] = (RedactOutput,)
