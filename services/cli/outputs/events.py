"""`cardtrail events --json`."""

from typing import Literal

from cardtrail.events.model.value import Value


class EventOutput(Value):
    """An event type; `subject` with places in angle brackets."""

    kind: str
    type: str
    version: int
    subject: str
    summary: str


class EventsOutput(Value):
    """`cardtrail events --json`."""

    format: Literal["cardtrail.events/1"]
    events: tuple[EventOutput, ...]


OUTPUTS: tuple[type[Value], ...] = (EventsOutput,)
