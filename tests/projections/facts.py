"""Short ways to say what the fold tests tell: profiles, cards, pins and decisions of one invented agent."""

from typing import Any
from uuid import UUID

from cardtrail.events import ChangeDecided, LockfilePinned, ProfileCompiled, Stored, derived_id
from cardtrail.events.canonical import digest
from cardtrail.events.model.finding import Finding, Severity
from cardtrail.events.model.lockfile import Candidate, LockedInterface, Lockfile, Requires, SkillNeed
from cardtrail.events.model.profile import Identity, Interface, Profile, SkillProfile
from tests.projections.log import Log

LOCK = "sha256:" + "1" * 64


def profile(*, streaming: bool = True, usable: bool = True, **skills: tuple[str, ...]) -> Profile:
    named = {
        skill: SkillProfile(input=modes, output=modes) for skill, modes in (skills or {"quote": ("a/json",)}).items()
    }
    interface = Interface(url="https://p.example/a2a", binding="JSONRPC", version="1.0")
    return Profile(usable=usable, streaming=streaming, interface=interface, skills=named)


def full(log: Log, digest: str, agent: str = "pricing", **members: Any) -> Stored:
    told = {
        "semantic_digest": digest,
        "signatures_digest": "s",
        "raw_digest": digest,
        "location": "https://p.example/c",
    }
    return log.say("card-fetched", agent, **told | members)


def compiled(log: Log, card: Stored, value: Profile, agent: str = "pricing", **members: Any) -> Stored:
    told = {"card": card.fact.id, "card_sequence": card.sequence, "card_digest": "sha256:c", "profile": value}
    told |= {
        "profile_digest": digest(value),
        "identity": Identity(version="3.2.0"),
    }
    told |= {"identity_digest": "sha256:i", "compiler_version": "1", "client_digest": "sha256:k"}
    return log.tell(ProfileCompiled(agent=agent, **told | members))


def lock(
    *fallback: Candidate, agent: str = "pricing", person: str = "mira", skills: tuple[str, ...] = ("quote",)
) -> Lockfile:
    return Lockfile(
        agent=agent,
        workflow="trip",
        owner="travel",
        person=person,
        interface=LockedInterface(binding="JSONRPC", version="1.0"),
        requires=Requires(streaming=True, skills={skill: SkillNeed(input=("a/json",)) for skill in skills}),
        fallback=fallback,
    )


def pinned(log: Log, value: Lockfile, agent: str = "pricing", digest: str = LOCK, **members: Any) -> Stored:
    return log.tell(LockfilePinned(agent=agent, workflow="trip", lockfile=value, lock_digest=digest, **members))


def decided(log: Log, verdict: str, action: str, *rules: str, agent: str = "pricing", **members: Any) -> Stored:
    weight: Severity = "breaking" if verdict == "breaking" else "review"
    findings = tuple(
        Finding(rule=rule, severity=weight, subject=rule, message=rule, fingerprint=rule) for rule in rules
    )
    told: dict[str, Any] = {"workflow": "trip", "verdict": verdict, "action": action, "findings": findings}
    told |= {
        "valid_from": f"2026-11-30T09:00:{len(log.facts):02}Z",
        "considered_through": len(log.facts),
        "lock_digest": LOCK,
    }
    told |= {"rules_version": "1", "policy_digest": "sha256:p"}
    return log.tell(
        ChangeDecided.model_validate({"agent": agent, **told | members}),
        number=derived_id(UUID(int=len(log.facts)), "decider", "1", agent),
    )
