"""Whom the log speaks of: each principal gets buckets of its own. Pure."""

from cardtrail.events.fact import PUBLIC, AgentEvent, Stored
from cardtrail.projections.projection import Rows

SEEN = "principals"


class Principals:
    """A fold that collects every principal the log has spoken of."""

    name = "principals"

    def apply(self, stored: Stored, rows: Rows) -> None:
        """Remember the principal of a fact."""
        event = stored.fact.data
        if isinstance(event, AgentEvent):
            rows.put(SEEN, (event.principal,), {"principal": event.principal})


def principals(rows: Rows) -> set[str]:
    """Everybody seen, `public` always among them."""
    return {PUBLIC, *(key[0] for key in rows.table(SEEN))}
