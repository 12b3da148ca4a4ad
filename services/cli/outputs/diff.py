"""`cardtrail diff --json`."""

from typing import Literal

from cardtrail.events.model.finding import Diagnostic
from cardtrail.events.model.value import Value
from cardtrail.services.cli.outputs.judged import Judged


class DiffOutput(Judged):
    """`cardtrail diff OLD NEW --json`: judged for a workflow that needs everything the old card offered.

    `lint` holds what `lint` says of the new card and did not say of the old one; it enters no verdict.
    """

    format: Literal["cardtrail.diff/1"]
    old: str
    not_counted: tuple[str, ...]
    lint: tuple[Diagnostic, ...] = ()


OUTPUTS: tuple[type[Value], ...] = (DiffOutput,)
