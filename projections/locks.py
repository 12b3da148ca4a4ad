"""Which locks are on an agent: the index that makes one change touch only its own locks.

`locks_on` (principal, agent): `locks`, sorted pairs of workflow and the name by which its lock calls the agent. A lock may
name its agent by a location, and others that stand in for it; who is watched for it, its decisions say. Several folds keep it
alike.
"""

from cardtrail.events.change_decided import ChangeDecided
from cardtrail.events.fact import AgentEvent
from cardtrail.events.lockfile_pinned import LockfilePinned, LockfileReleased
from cardtrail.projections.projection import Rows, Table

LOCKS_ON = Table("locks_on", key=("principal", "agent"), shown=False)


def on(agent: str, principal: str, rows: Rows) -> tuple[tuple[str, str], ...]:
    """Workflow and name of each lock on this agent as this principal sees it."""
    row = rows.get(LOCKS_ON.name, (principal, agent)) or {"locks": ()}
    return tuple((workflow, named) for workflow, named in row["locks"])


def pinned(event: LockfilePinned, rows: Rows) -> None:
    """One more lock on what it calls its agent."""
    _add(event, event.agent, event.workflow, rows)


def decided(event: ChangeDecided, rows: Rows) -> None:
    """The lock is one on the agent that was judged, too: under the name it is watched by, or as one that stands in."""
    _add(event, event.watched or event.agent, event.workflow, rows)


def released(event: LockfileReleased, watched: str, rows: Rows) -> None:
    """One lock less."""
    forget(event.principal, event.workflow, event.agent, watched, rows)


def forget(principal: str, workflow: str, named: str, watched: str, rows: Rows) -> None:
    """What a lock calls this is no concern of it any more; an agent without locks has no row."""
    for agent in {named, watched}:
        left = [list(one) for one in on(agent, principal, rows) if one != (workflow, named)]
        if left:
            rows.put(LOCKS_ON.name, (principal, agent), {"locks": left})
        else:
            rows.delete(LOCKS_ON.name, (principal, agent))


def _add(event: AgentEvent, agent: str, workflow: str, rows: Rows) -> None:
    held = {*on(agent, event.principal, rows), (workflow, event.agent)}
    rows.put(LOCKS_ON.name, (event.principal, agent), {"locks": [list(one) for one in sorted(held)]})
