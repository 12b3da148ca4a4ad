"""`cardtrail check --json`."""

from typing import Literal

from cardtrail.events.model.finding import Diagnostic, Verdict
from cardtrail.events.model.value import Value
from cardtrail.services.cli.outputs.judged import Judged


class CheckedCard(Judged):
    """One of several cards; `doubts` are what is odd in the lock, and never change the verdict."""

    lock: str
    lock_digest: str
    doubts: tuple[Diagnostic, ...]


class CheckOutput(CheckedCard):
    """`cardtrail check LOCK CARD --json`."""

    format: Literal["cardtrail.check/1"]


class CheckManyOutput(Value):
    """`cardtrail check LOCK CARD CARD --json`: the worst verdict and one result per card, in the order given."""

    format: Literal["cardtrail.check/1"]
    verdict: Verdict
    results: tuple[CheckedCard, ...]


OUTPUTS: tuple[type[Value], ...] = (
    CheckOutput,
    CheckManyOutput,
)
