"""From settings to facts: what the operator has written down, told where the log does not say it yet. Pure.

Only what was told `by` the settings is ever taken back by them: an agent tracked by hand stays, and so do a registry's agents
while the registry stands there.
"""

from collections.abc import Iterator, Mapping

from cardtrail.events import AgentTracked, AgentUntracked, Event, LockfilePinned, LockfileReleased, PolicyDeclared
from cardtrail.events.canonical import digest
from cardtrail.events.model.lockfile import Lockfile
from cardtrail.services.settings import Settings
from cardtrail.services.verdict.lock import lock_digest

BY = "settings"
AgentKey = tuple[str, str]
LockKey = tuple[str, str, str]


def tracked(settings: Settings) -> dict[AgentKey, AgentTracked]:
    """The agents of the settings, one fact per agent and principal."""
    return {
        (name, principal): AgentTracked(
            agent=name,
            principal=principal,
            target=agent.target(),
            source_kind=agent.source,
            interval_s=agent.interval_s(),
            legacy_path=agent.legacy_path,
            endpoints=agent.endpoints(),
            credential=agent.credentials.get(principal, ""),
            provider=agent.provider,
            by=BY,
        )
        for name, agent in settings.agents.items()
        for principal in agent.principals
    }


def agent_facts(
    settings: Settings, held: Mapping[AgentKey, AgentTracked], gone: Mapping[AgentKey, bool]
) -> Iterator[Event]:
    """What is new or changed among agents, then what the settings no longer name; `gone` says who is untracked now."""
    wanted = tracked(settings)
    for key, event in wanted.items():
        if gone.get(key, True) or held.get(key) != event:
            yield event
    for key, last in held.items():
        if key in wanted or gone.get(key, True):
            continue
        if last.by == BY:
            yield AgentUntracked(agent=key[0], principal=key[1], reason="no longer in the settings", by=BY)
        elif last.by == f"registry:{last.registry}" and last.registry not in settings.registries:
            yield AgentUntracked(agent=key[0], principal=key[1], reason="its registry is not in the settings", by=BY)


def lock_facts(locks: Mapping[LockKey, Lockfile], held: Mapping[LockKey, LockfilePinned]) -> Iterator[Event]:
    """Locks whose content is new, then those that the settings no longer name; keys are workflow, agent, principal."""
    for (workflow, agent, principal), lock in locks.items():
        content = lock_digest(lock)
        last = held.get((workflow, agent, principal))
        if last is None or last.lock_digest != content:
            yield LockfilePinned(
                agent=agent, principal=principal, workflow=workflow, lockfile=lock, lock_digest=content, by=BY
            )
    for (workflow, agent, principal), last in held.items():
        if (workflow, agent, principal) not in locks and last.by == BY:
            yield LockfileReleased(
                agent=agent, principal=principal, workflow=workflow, reason="no longer in the settings", by=BY
            )


def policy_fact(settings: Settings, held: PolicyDeclared | None) -> Iterator[Event]:
    """The policy, where it differs from the one in force."""
    policy = settings.policy_fact()
    content = digest(policy)
    if held is None or held.digest != content:
        yield PolicyDeclared(policy=policy, digest=content, by=BY)
