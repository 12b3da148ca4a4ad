"""`cardtrail history --json`."""

from typing import Any, Literal

from cardtrail.events.model.value import Value


class HistoryFact(Value):
    """A fact as it lies on the log: its stream sequence, the broker's time, the CloudEvent."""

    sequence: int
    stored_at: str
    fact: dict[str, Any]


class HistoryEntry(Value):
    """What happened, in one line: when it was observed, as whom, what, and the facts that belong to it, the first its cause."""

    at: str
    principal: str
    what: str
    text: str
    facts: tuple[HistoryFact, ...]


class HistoryOutput(Value):
    """`cardtrail history AGENT --json`: entries in stream order, newest last.

    `names` are what locks call the agent. `through` is the last sequence read; `folded` counts facts that changed nothing and
    are left out; `unreadable` are sequences that this release cannot read; `known_from` above 1: the log begins there.
    """

    format: Literal["cardtrail.history/1"]
    agent: str
    names: tuple[str, ...]
    since: str | None
    as_of: str | None
    through: int
    known_from: int
    facts: int
    folded: int
    unreadable: tuple[int, ...]
    entries: tuple[HistoryEntry, ...]


OUTPUTS: tuple[type[Value], ...] = (HistoryOutput,)
