"""The one place where a fact of ours gets an id by chance; derived facts have derived ids (`events.fact`)."""

import secrets
from datetime import datetime
from uuid import UUID

from cardtrail.events import observation_id


def fresh_id(now: datetime) -> UUID:
    """The id of a fact that is told now, of no other fact: ordered by time."""
    return observation_id(int(now.timestamp() * 1000), secrets.token_bytes(10))
