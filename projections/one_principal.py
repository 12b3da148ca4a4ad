"""A fold for one principal alone: what it keeps is that principal's view and nothing else. Pure."""

from datetime import datetime

from cardtrail.events.fact import AgentEvent, Stored
from cardtrail.events.subjects import token
from cardtrail.projections.projection import Fold, Rows


class OnePrincipal:
    """A fold that is shown the facts of one principal, and those that concern no agent."""

    def __init__(self, fold: Fold, principal: str) -> None:
        """Keep the fold's name: the bucket and the reader are named after both."""
        self.name = fold.name
        self._fold, self._principal = fold, principal

    def apply(self, stored: Stored, rows: Rows) -> None:
        """Apply the fact where it is this principal's business."""
        event = stored.fact.data
        if not isinstance(event, AgentEvent) or event.principal == self._principal:
            self._fold.apply(stored, rows)

    def held(self, agent: str, principal: str, sequence: int, since: datetime | None, rows: Rows) -> None:
        """See `Fold`; only of this principal's agents."""
        if principal == token(self._principal):
            pass_on(self._fold, agent, principal, sequence, since, rows)


def pass_on(fold: Fold, agent: str, principal: str, sequence: int, since: datetime | None, rows: Rows) -> None:  # noqa: PLR0913, PLR0917 — as `Fold` says
    """Tell a fold what is held back, where it wants to hear of it."""
    hears = getattr(fold, "held", None)
    if hears is not None:
        hears(agent, principal, sequence, since, rows)
