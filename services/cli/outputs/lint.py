"""`cardtrail lint --json`."""

from typing import Literal

from cardtrail.events.model.card import Shape
from cardtrail.events.model.finding import Diagnostic
from cardtrail.events.model.value import Value
from cardtrail.services.cli.outputs.error import ErrorBody


class LintedCard(Value):
    """What is wrong with one card; `usable` while it has an endpoint and its parts could be lifted.

    `shape` is unknown where the card could not be had; `error` says why.
    """

    shape: Shape | Literal["unknown"]
    findings: tuple[Diagnostic, ...]
    card: str
    usable: bool
    error: ErrorBody | None


class LintOutput(LintedCard):
    """`cardtrail lint CARD --json`."""

    format: Literal["cardtrail.lint/1"]


class LintManyOutput(Value):
    """`cardtrail lint CARD CARD --json`."""

    format: Literal["cardtrail.lint/1"]
    results: tuple[LintedCard, ...]


OUTPUTS: tuple[type[Value], ...] = (
    LintOutput,
    LintManyOutput,
)
