"""`cardtrail completion --json`."""

from typing import Literal

from cardtrail.events.model.value import Value


class CompletionOutput(Value):
    """`cardtrail completion SHELL --json`."""

    format: Literal["cardtrail.completion/1"]
    shell: str
    script: str


OUTPUTS: tuple[type[Value], ...] = (CompletionOutput,)
