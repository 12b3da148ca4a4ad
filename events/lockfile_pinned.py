"""LockfilePinned and LockfileReleased: a workflow states, or withdraws, what it needs of an agent."""

from cardtrail.events.fact import AgentEvent
from cardtrail.events.model.lockfile import Lockfile
from cardtrail.events.model.profile import Identity, Profile


class LockfilePinned(AgentEvent):
    """The lock with the profile in force as its baseline (None where nothing was known yet).

    `agent` is the judged agent; for a fallback candidate, `candidate_of` is the lock's first agent.
    """

    kind = "lockfile-pinned"
    workflow: str
    lockfile: Lockfile
    lock_digest: str
    candidate_of: str = ""
    baseline: Profile | None = None
    baseline_identity: Identity | None = None
    by: str = ""


class LockfileReleased(AgentEvent):
    """The workflow no longer depends on this agent."""

    kind = "lockfile-released"
    workflow: str
    reason: str = ""
    by: str = ""
