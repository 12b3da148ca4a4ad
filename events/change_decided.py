"""ChangeDecided: for one workflow × agent × principal, what the facts mean."""

from typing import Literal
from uuid import UUID

from cardtrail.events.fact import AgentEvent
from cardtrail.events.model.finding import Finding, Verdict

Action = Literal["allow", "allow-degraded", "probe", "stop"]


class ChangeDecided(AgentEvent):
    """The verdict with its findings and what follows for new delegations; running tasks go on.

    `considered_through` is the stream sequence up to which facts were weighed; `valid_from` RFC 3339 is the broker's time of
    the last cause; `recovered` marks the return from breaking or review to compatible. `agent` is as the lock names it, `watched`
    the name under which it is watched, where that is another.
    """

    kind = "change-decided"
    workflow: str
    verdict: Verdict
    previous: Verdict | None = None
    findings: tuple[Finding, ...] = ()
    action: Action
    degraded: tuple[str, ...] = ()
    owner: str = ""
    channel: str = ""
    valid_from: str
    considered_through: int
    profile_digest: str = ""
    agent_version: str = ""
    lock_digest: str
    rules_version: str
    policy_digest: str
    causes: tuple[UUID, ...] = ()
    recovered: bool = False
    cause: Literal["agent", "tool", "policy", "time", "pin", "acknowledgement"] = "agent"
    digest_only: bool = False
    watched: str = ""

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules that give this verdict: of findings as severe as it, each once."""
        return tuple(dict.fromkeys(one.rule for one in self.findings if one.severity == self.verdict))
