"""`cardtrail check --json`."""

from typing import Literal

from cardtrail.events.model.finding import Diagnostic, Finding, Verdict
from cardtrail.events.model.value import Value
from cardtrail.services.cli.outputs.error import ErrorBody
from cardtrail.services.cli.outputs.judged import Judged


class CheckedCard(Judged):
    """One of several cards; `doubts` are what is odd in the lock, and never change the verdict."""

    lock: str
    lock_digest: str
    doubts: tuple[Diagnostic, ...]


class CheckOutput(CheckedCard):
    """`cardtrail check LOCK CARD --json`."""

    format: Literal["cardtrail.check/1"]


class UnjudgedCard(Value):
    """One of several cards that could not be had: nothing is known of it but `error`, which says why."""

    verdict: Literal["unknown"]
    findings: tuple[Finding, ...]
    card: str
    workflow: str
    agent: str
    principal: str
    lock: str
    lock_digest: str
    doubts: tuple[Diagnostic, ...]
    error: ErrorBody


class CheckManyOutput(Value):
    """`cardtrail check LOCK CARD CARD --json`: one result per card, in the order given.

    `verdict` is the worst: breaking before unknown, since what is unknown may break, before review.
    """

    format: Literal["cardtrail.check/1"]
    verdict: Verdict | Literal["unknown"]
    results: tuple[CheckedCard | UnjudgedCard, ...]


OUTPUTS: tuple[type[Value], ...] = (
    CheckOutput,
    CheckManyOutput,
)
