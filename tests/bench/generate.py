"""Realistic logs of any length: agents that change now and then, answers that mostly repeat, failures, probes and calls.

Seeded: the same arguments give the same facts. Proportions follow what watching real cards gave: of a thousand facts about nine
hundred are unchanged answers.
"""

import hashlib
import os
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from cardtrail.events import EVENTS, Event, Fact, Stored, derived_id, encode, observation_id
from cardtrail.events.model.finding import Finding
from cardtrail.events.model.lockfile import Candidate, LockedInterface, Lockfile, Requires, SkillNeed
from cardtrail.events.model.profile import Identity, Interface, Profile, SkillProfile

BIG = os.environ.get("CARDTRAIL_BIG", "0") not in {"", "0"}
"""Tests over a generated log take 200,000 facts about 500 agents."""
START = datetime(2026, 10, 1, tzinfo=UTC)
_MODES = ("application/json", "text/plain", "application/pdf", "image/png")
_REST = (
    ("card-fetched", 900),
    ("change", 12),
    ("card-refused", 25),
    ("probe-recorded", 25),
    ("calls-counted", 30),
    ("error", 8),
)


class _Agent:
    def __init__(self, name: str) -> None:
        self.name = name
        self.card: UUID | None = None
        self.card_sequence = 0
        self.version = 0
        self.profile: Profile | None = None
        self.verdict: str | None = None


class Generator:
    """Facts in stream order. `agents` of which every third is pinned by a workflow; seconds between facts are `step`."""

    def __init__(self, agents: int, seed: int = 7, step: float = 0.05) -> None:
        self._random = random.Random(seed)
        self._agents = [_Agent(f"agent-{number}.example") for number in range(agents)]
        self._step = timedelta(seconds=step)
        self.sequence = 0

    def facts(self, count: int) -> Iterator[Stored]:
        """The next `count` facts."""
        while count > 0:
            agent = (
                self._agents[self.sequence % len(self._agents)] if self._unborn() else self._random.choice(self._agents)
            )
            for event, cause in self._next(agent):
                yield self._stored(event, cause)
                count -= 1
                if count == 0:
                    return

    def _unborn(self) -> bool:
        return self._agents[-1].profile is None

    def _next(self, agent: _Agent) -> Iterator[tuple[Event, UUID | None]]:
        if agent.profile is None:
            yield from self._born(agent)
            return
        kinds, weights = zip(*_REST, strict=True)
        kind = self._random.choices(kinds, weights)[0]
        if kind == "change":
            yield from self._change(agent)
        else:
            yield self._observation(agent, kind), None

    def _born(self, agent: _Agent) -> Iterator[tuple[Event, UUID | None]]:
        yield (
            self._say(agent, "agent-tracked", target={"kind": "domain", "value": agent.name}, provider=agent.name),
            None,
        )
        yield from self._change(agent)

    def _change(self, agent: _Agent) -> Iterator[tuple[Event, UUID | None]]:
        agent.version += 1
        digest = _sha(f"{agent.name}/{agent.version}")
        told = {"raw_digest": digest, "semantic_digest": digest, "signatures_digest": _sha(""), "size": 4096}
        told |= {
            "location": f"https://{agent.name}/.well-known/agent-card.json",
            "address": "203.0.113.7",
            "latency_ms": 40,
        }
        yield self._say(agent, "card-fetched", **told), None
        agent.card, agent.card_sequence = self._last, self.sequence
        agent.profile = self._profile(agent)
        yield self._compiled(agent), agent.card
        if self._pins(agent) and agent.version == 1:
            yield self._pinned(agent), None
        if self._pins(agent):
            yield self._decided(agent), self._last

    def _observation(self, agent: _Agent, kind: str) -> Event:
        assert agent.profile is not None
        claim = {"kind": "streaming"}
        at = {"profile_digest": _sha(str(agent.version))}
        match kind:
            case "card-fetched":
                status = self._random.choice((200, 304, 304))
                return self._say(
                    agent, kind, status=status, same_as=agent.card_sequence, latency_ms=self._random.randint(5, 90)
                )
            case "card-refused":
                stages = (("connect", "timed-out"), ("fetch", "status"), ("parse", "not-json"))
                ((stage, reason),) = self._random.choices(stages, (15, 9, 1))
                return self._say(agent, kind, stage=stage, reason=reason, latency_ms=self._random.randint(5, 9000))
            case "probe-recorded":
                outcome = self._random.choices(("held", "contradicted", "inconclusive"), (90, 3, 7))[0]
                return self._say(agent, kind, probe="streaming", claim=claim, outcome=outcome, trials=1, passes=1, **at)
            case "calls-counted":
                calls = self._random.randint(1, 50)
                minute = (START + self.sequence * self._step).replace(second=0, microsecond=0).isoformat()
                told = {
                    "workflow": "trip",
                    "operation": "SendMessage",
                    "minute": minute,
                    "calls": calls,
                    "p50_ms": 120.5,
                }
                return self._say(agent, kind, errors=self._random.randint(0, 1), **told)
            case _:
                told = {"workflow": "trip", "operation": "SendStreamingMessage", "error": "UnsupportedOperationError"}
                return self._say(
                    agent, "runtime-error-observed", attribution="provider", contradicts=claim, **told, **at
                )

    def _profile(self, agent: _Agent) -> Profile:
        interface = Interface(url=f"https://{agent.name}/a2a", binding="JSONRPC", version="1.0")
        skills = {}
        for number in range(1 + self._random.randrange(4)):
            modes = tuple(sorted(self._random.sample(_MODES, 2)))
            skills[f"skill-{number}"] = SkillProfile(input=modes, output=modes[:1], tags=("priced",))
        streaming = self._random.random() < 0.8
        return Profile(usable=True, interface=interface, interfaces=(interface,), streaming=streaming, skills=skills)

    def _compiled(self, agent: _Agent) -> Event:
        assert agent.profile is not None
        told: dict[str, Any] = {"card": agent.card, "card_sequence": agent.card_sequence, "card_digest": _sha("card")}
        told |= {"profile": agent.profile, "profile_digest": _sha(str(agent.version)), "compiler_version": "1"}
        told |= {
            "identity": Identity(name=agent.name, version=f"1.{agent.version}.0"),
            "identity_digest": _sha("identity"),
        }
        return self._say(agent, "profile-compiled", client_digest=_sha("client"), **told)

    def _pins(self, agent: _Agent) -> bool:
        return self._agents.index(agent) % 3 == 0 if len(self._agents) < 1000 else agent.name.endswith("0.example")

    def _pinned(self, agent: _Agent) -> Event:
        needs = Requires(streaming=True, skills={"skill-0": SkillNeed(input=("text/plain",))})
        pinned = [each for each in self._agents if self._pins(each)]
        stands_in = pinned[(pinned.index(agent) + 1) % len(pinned)]
        lock = Lockfile(
            agent=agent.name,
            workflow="trip",
            interface=LockedInterface(binding="JSONRPC", version="1.0"),
            requires=needs,
            fallback=() if stands_in is agent else (Candidate(agent=stands_in.name),),
            evidence_max_age_s=86_400,
        )
        return self._say(agent, "lockfile-pinned", workflow="trip", lockfile=lock, lock_digest=_sha(agent.name))

    def _decided(self, agent: _Agent) -> Event:
        verdict, action = self._random.choice((("compatible", "allow"), ("review", "probe"), ("breaking", "stop")))
        found = Finding(
            rule="input-mode-removed", severity="breaking", subject="skills[skill-0].inputModes", message="gone"
        )
        told: dict[str, Any] = {
            "verdict": verdict,
            "action": action,
            "valid_from": (START + self.sequence * self._step).isoformat(),
            "workflow": "trip",
            "previous": agent.verdict,
        }
        agent.verdict = verdict
        told |= {
            "findings": () if verdict == "compatible" else (found.model_copy(update={"fingerprint": _sha(agent.name)}),)
        }
        told["causes"] = tuple(dict.fromkeys(str(name) for name in (self._last, agent.card) if name))
        told |= {"considered_through": self.sequence, "lock_digest": _sha(agent.name), "rules_version": "1"}
        return self._say(agent, "change-decided", policy_digest=_sha("policy"), **told)

    @staticmethod
    def _say(agent: _Agent, kind: str, **members: Any) -> Event:
        return EVENTS[kind].model_validate({"agent": agent.name, **members})

    def _stored(self, event: Event, cause: UUID | None) -> Stored:
        self.sequence += 1
        at = START + self.sequence * self._step
        self._last = derived_id(cause, "bench", "1", str(self.sequence)) if cause else self._observed(at)
        fact = Fact(id=self._last, source="bench", time=at, causation=cause, data=event)
        return Stored(sequence=self.sequence, stored_at=at, fact=fact, raw=encode(fact))

    def _observed(self, at: datetime) -> UUID:
        return observation_id(int(at.timestamp() * 1000), self._random.getrandbits(80).to_bytes(10, "big"))


def _sha(text: str) -> str:
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()
