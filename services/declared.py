"""What operators have declared and the log still says: policy, agents that are watched, locks in force."""

from collections.abc import Mapping
from typing import NamedTuple

from cardtrail.events import AgentEvent, AgentTracked, LockfilePinned, PolicyDeclared, Stored
from cardtrail.services.bus.bus import Bus
from cardtrail.services.declare import AgentKey, LockKey

_OF_AGENTS = "cardtrail.events.*.*.*"


class Declared(NamedTuple):
    """Keys are agent, principal; locks: workflow, agent, principal. `gone` says which of the agents is not watched any more."""

    policy: PolicyDeclared | None
    agents: Mapping[AgentKey, AgentTracked]
    gone: Mapping[AgentKey, bool]
    locks: Mapping[LockKey, LockfilePinned]

    def watched(self) -> set[str]:
        """The agents that somebody watches, whoever sees them."""
        return {agent for (agent, _), gone in self.gone.items() if not gone}

    def workflows(self) -> set[str]:
        """The workflows with a lock in force."""
        return {workflow for workflow, _, _ in self.locks}


async def declared(bus: Bus) -> Declared:
    """Read it from the log.

    Raises:
        BrokerUnreachable: ask again.
    """
    policies = await _last(bus, "cardtrail.ledger.policy-declared")
    tracked = await _last(bus, f"{_OF_AGENTS}.agent-tracked.>")
    pinned = await _last(bus, f"{_OF_AGENTS}.lockfile-pinned.>")
    ended = {_agent_key(one): one.sequence for one in await _last(bus, f"{_OF_AGENTS}.agent-untracked.>")}
    released = {_lock_key(one): one.sequence for one in await _last(bus, f"{_OF_AGENTS}.lockfile-released.>")}
    return Declared(
        policy=next((one.fact.data for one in policies if isinstance(one.fact.data, PolicyDeclared)), None),
        agents={_agent_key(one): one.fact.data for one in tracked if isinstance(one.fact.data, AgentTracked)},
        gone={_agent_key(one): ended.get(_agent_key(one), 0) > one.sequence for one in tracked},
        locks={
            _lock_key(one): one.fact.data
            for one in pinned
            if isinstance(one.fact.data, LockfilePinned) and released.get(_lock_key(one), 0) < one.sequence
        },
    )


async def _last(bus: Bus, subjects: str) -> tuple[Stored, ...]:
    return (await bus.last(subjects)).facts


def _agent_key(stored: Stored) -> AgentKey:
    event = stored.fact.data
    return (event.agent, event.principal) if isinstance(event, AgentEvent) else ("", "")


def _lock_key(stored: Stored) -> LockKey:
    event = stored.fact.data
    return (getattr(event, "workflow", ""), *_agent_key(stored))
