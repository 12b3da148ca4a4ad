"""A small log written by hand: each line one fact, sequences from 1, one second apart unless told otherwise."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from cardtrail.events import EVENTS, Event, Fact, Stored, encode, observation_id

START = datetime(2026, 11, 30, 8, 0, tzinfo=UTC)


class Log:
    """Facts in order, as a broker would keep them."""

    def __init__(self) -> None:
        self.facts: list[Stored] = []

    def tell(self, event: Event, at: float | None = None, number: UUID | None = None) -> Stored:
        """Append a fact observed `at` seconds after the start (default: one second per sequence)."""
        sequence = len(self.facts) + 1
        observed = START + timedelta(seconds=sequence if at is None else at)
        made = observation_id(int(observed.timestamp() * 1000), sequence.to_bytes(10, "big"))
        fact = Fact(id=number or made, source="test", time=observed, data=event)
        stored = Stored(sequence=sequence, stored_at=START + timedelta(seconds=sequence), fact=fact, raw=encode(fact))
        self.facts.append(stored)
        return stored

    def say(self, kind: str, /, agent: str = "pricing", **members: Any) -> Stored:
        """Append a fact of this kind about one agent."""
        return self.tell(EVENTS[kind].model_validate({"agent": agent, **members}))
