"""What the commands say that tell facts: which, about whom, and where they stand in the log."""

from cardtrail.events import AgentEvent, Event
from cardtrail.events.model.value import Value


class ToldFact(Value):
    """A fact that was told: its stream sequence, kind, agent, principal, and workflow where it has one."""

    sequence: int
    kind: str
    agent: str
    principal: str
    workflow: str


class Told(Value):
    """The facts told, none where the log said so already; `by` is who told them, `notes` what to know beside it."""

    facts: tuple[ToldFact, ...]
    by: str
    notes: tuple[str, ...]


def told_fact(sequence: int, event: Event) -> ToldFact:
    """A fact in the published shape."""
    agent, principal = (event.agent, event.principal) if isinstance(event, AgentEvent) else ("", "")
    workflow = getattr(event, "workflow", "")
    return ToldFact(sequence=sequence, kind=event.kind, agent=agent, principal=principal, workflow=workflow)
