"""`cardtrail status --json`."""

from typing import Any, Literal

from cardtrail.events.change_decided import Action
from cardtrail.events.model.finding import Finding, Verdict
from cardtrail.events.model.value import Value
from cardtrail.services.cli.outputs.doctor import Check
from cardtrail.services.cli.outputs.stand_in import StandIn
from cardtrail.services.cli.outputs.turns import Turning

Heard = Literal["fresh", "stale", "unreachable", "unreadable", "signature", "unheard"]
"""How an agent stands: the trouble since its last answer, else whether that is within the policy's staleness."""

Standing = Heard | Literal["unwatched"]
"""The same of a lock's agent, which need not be watched."""


class Accepted(Value):
    """Who acknowledged a finding, why, until when (null = while the same change stands), and when."""

    by: str
    reason: str
    until: str | None
    at: str


class OpenFinding(Finding):
    """A finding as decided, since when it stands, and its acknowledgement."""

    since: str
    acknowledged: Accepted | None


class LockStanding(Value):
    """One lock: `pending` until its first decision; `open` counts what is not acknowledged, notes apart.

    `heard` is `unwatched` where nobody watches the agent, or nobody does any more: a lock that is pending waits for nothing then.
    `evidence_at` is the newest attempt that showed whether a needed claim holds, `card_at` the agent's last answer.
    """

    workflow: str
    agent: str
    principal: str
    verdict: Verdict | Literal["pending"]
    action: Action | None
    degraded: tuple[str, ...]
    since: str
    open: int
    acknowledged: int
    evidence_at: str | None
    card_at: str | None
    heard: Standing
    agent_version: str
    owner: str
    candidate_of: str
    decision: str | None
    findings: tuple[OpenFinding, ...]


class AgentCounts(Value):
    """How many watched agents there are, as each principal sees them, and how they stand."""

    total: int
    fresh: int
    stale: int
    unreachable: int
    unreadable: int
    signature: int
    unheard: int


class Lag(Value):
    """How far what is shown is behind the log: facts, and the age in seconds of the first that is missing."""

    facts: int
    seconds: float


class Alone(Value):
    """A lock with a fallback of which nobody is left: all who are named stand stopped themselves."""

    workflow: str
    agent: str
    principal: str
    behind: tuple[StandIn, ...]


class StatusOutput(Value):
    """`cardtrail status --json`: worst first; `alone` has the locks that no other agent stands behind any more.

    `troubles` says which services do not keep what is shown, as `doctor` says it: what stands here may then be old.
    `turning` has the locks whose verdict is held because cards take turns.
    """

    format: Literal["cardtrail.status/1"]
    at: str
    locks: tuple[LockStanding, ...]
    stopped: int
    agents: AgentCounts
    lag: Lag
    alone: tuple[Alone, ...] = ()
    troubles: tuple[Check, ...] = ()
    turning: tuple[Turning, ...] = ()


OUTPUTS: tuple[type[Value], ...] = (StatusOutput,)


def standing(row: dict[str, Any], heard: Standing, card_at: str | None) -> LockStanding:
    """A row of `lockfile_status` in the published shape."""
    findings = tuple(OpenFinding.model_validate(finding) for finding in row["findings"])
    weighty = [finding for finding in findings if finding.severity != "note"]
    taken = {name: row[name] for name in LockStanding.model_fields if name in row}
    counts = {
        "open": sum(finding.acknowledged is None for finding in weighty),
        "acknowledged": sum(finding.acknowledged is not None for finding in weighty),
    }
    return LockStanding.model_validate({**taken, **counts, "findings": findings, "heard": heard, "card_at": card_at})
