"""From rows of the agenda to jobs for the broker's schedule. Pure."""

from datetime import datetime

from cardtrail.projections.projection import Key, Row
from cardtrail.services.bus.schedules import Due


def wanted(key: Key, row: Row) -> Due:
    """The job of one row."""
    agent, principal = key
    due = datetime.fromisoformat(row["due"])
    return Due(what="probe", due=due, agent=agent, principal=principal, host=row["host"])
