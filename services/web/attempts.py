"""The last fifty looks at each agent, one letter each: a fold for the strips of the fleet, kept in memory only.

`attempts` (principal, agent): `codes`, oldest first: `c` an answer that differs from the one before, `u` one that does not,
`r` no usable card; `full` and `digests` name the last answer that came in full.
"""

from cardtrail.events.card_fetched import CardFetched
from cardtrail.events.card_refused import CardRefused
from cardtrail.events.fact import Stored
from cardtrail.projections.freshness import digests, unchanged
from cardtrail.projections.lateness import late
from cardtrail.projections.projection import Row, Rows

ATTEMPTS = "attempts"
SHOWN = 50
CHANGED, UNCHANGED, REFUSED = "c", "u", "r"
_NONE: Row = {"codes": "", "full": 0, "digests": ["", ""]}


class Attempts:
    """The fold over observations."""

    name = ATTEMPTS

    def apply(self, stored: Stored, rows: Rows) -> None:
        """One more look."""
        event = stored.fact.data
        if not isinstance(event, CardFetched | CardRefused) or late(stored, rows):
            return
        key = (event.principal, event.agent)
        row = rows.get(ATTEMPTS, key) or _NONE
        told: Row = {}
        if isinstance(event, CardRefused):
            code = REFUSED
        else:
            code = UNCHANGED if unchanged(event, row["full"], row["digests"]) else CHANGED
            if event.same_as is None:
                told = {"full": stored.sequence, "digests": digests(event)}
        rows.put(ATTEMPTS, key, {**row, **told, "codes": (row["codes"] + code)[-SHOWN:]})
