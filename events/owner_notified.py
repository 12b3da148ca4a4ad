"""OwnerNotified: a message to an owner left the house."""

from uuid import UUID

from cardtrail.events.fact import AgentEvent


class OwnerNotified(AgentEvent):
    """Which decision was told on which channel; `fingerprints` are never told twice while they stand; `status` is HTTP's."""

    kind = "owner-notified"
    workflow: str
    decision: UUID
    channel: str
    fingerprints: tuple[str, ...] = ()
    status: int = 0
    attempts: int = 1
    problem: str = ""
