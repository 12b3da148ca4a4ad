"""When the values of an agent were last seen: confirmed in full or asserted by a 304, and where answers began to differ.

An answer that differs is a boundary: it confirms the values that hold until a profile says which of them it changed, and keeps
what was known before it, for that profile may come late.
"""

from cardtrail.events.card_fetched import CardFetched
from cardtrail.events.fact import Stored
from cardtrail.projections.freshness import NOT_MODIFIED, digests, seen, unchanged
from cardtrail.projections.instants import micros
from cardtrail.projections.projection import Key, Row, Rows, Table

SIGHTINGS = Table("sightings", key=("principal", "agent"), shown=False)
_KEPT_BOUNDARIES = 16
_UNSEEN: Row = {"confirmed": None, "asserted": None, "last": None, "full": 0, "digests": ["", ""], "boundaries": []}


def sightings(key: Key, rows: Rows) -> Row:
    """What was seen so far of (principal, agent)."""
    return rows.get(SIGHTINGS.name, key) or _UNSEEN


def sighted(stored: Stored, event: CardFetched, rows: Rows) -> None:
    """One more answer."""
    key = (event.principal, event.agent)
    row, at = sightings(key, rows), micros(seen(stored, event))
    how = "asserted" if event.status == NOT_MODIFIED else "confirmed"
    last = {"at": at, "fact": stored.fact.id.hex, "sequence": stored.sequence}
    told: Row = {**row, "last": last, how: max(at, row[how] or at)}
    if not unchanged(event, row["full"], row["digests"]):
        boundary = last | {"confirmed": row["confirmed"], "asserted": row["asserted"]}
        told["boundaries"] = [*row["boundaries"][1 - _KEPT_BOUNDARIES :], boundary]
        told |= {"full": event.same_as, "digests": ["", ""]}
    if event.same_as is None:
        told |= {"full": stored.sequence, "digests": digests(event)}
    rows.put(SIGHTINGS.name, key, told)


def settled(key: Key, sequence: int, rows: Rows) -> None:
    """The answers up to this sequence have their profile."""
    row = sightings(key, rows)
    left = [boundary for boundary in row["boundaries"] if boundary["sequence"] > sequence]
    rows.put(SIGHTINGS.name, key, row | {"boundaries": left})
