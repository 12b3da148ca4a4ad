"""A fold for one principal alone: what it keeps is that principal's view and nothing else. Pure."""

from cardtrail.events.fact import AgentEvent, Stored
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
