"""`cardtrail watch --json`: JSON Lines, one of these a line."""

from typing import Literal

from cardtrail.events.change_decided import Action
from cardtrail.events.model.finding import Finding, Verdict
from cardtrail.events.model.value import Value


class WatchedDecision(Value):
    """A decision: `use` whom new delegations may go to instead, `person` who takes over where nobody is left.

    `lasted_s`: with `recovered`, how many seconds the trouble stood, null where its beginning was not seen.
    """

    format: Literal["cardtrail.watch/1"]
    what: Literal["decision"]
    sequence: int
    at: str
    workflow: str
    agent: str
    principal: str
    previous: Verdict | None
    verdict: Verdict
    action: Action
    recovered: bool
    lasted_s: float | None
    use: str | None
    person: str
    findings: tuple[Finding, ...]


class WatchedConnection(Value):
    """The connection was lost, or is back; it resumes behind `after` and nothing is missed."""

    format: Literal["cardtrail.watch/1"]
    what: Literal["lost", "back"]
    at: str
    after: int


class WatchedUnreadable(Value):
    """A decision that cannot be read: it is broken, or a newer release told it."""

    format: Literal["cardtrail.watch/1"]
    what: Literal["unreadable"]
    sequence: int
    at: str


OUTPUTS: tuple[type[Value], ...] = (WatchedDecision, WatchedConnection, WatchedUnreadable)
