"""A season of five providers, told fact by fact: outages, changes with and without notice, claims kept and not, a new key.

Seeded: the same arguments give the same log. Facts come in the order of their times, as a broker would store them.
"""

import hashlib
import random
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

from cardtrail.events import EVENTS, Fact, Stored, derived_id, encode, observation_id
from cardtrail.events.model.finding import Finding
from cardtrail.events.model.lockfile import Candidate, LockedInterface, Lockfile, Requires, SkillNeed
from cardtrail.events.model.profile import Identity, Interface, Profile, SkillProfile
from cardtrail.projections.store import DuckStore
from cardtrail.projections.store_snapshot import newest
from cardtrail.services.archive import SNAPSHOTS
from tests.projections.driving import drive, everything

START = datetime(2026, 9, 1, tzinfo=UTC)
HOUR = timedelta(hours=1)
HOSTILE = '<script>alert("x")</script><img src=https://evil.example/p.png onerror=alert(1)>\u202e::error::\x1b[31m'


class Habit(NamedTuple):
    """How an agent is: its host, its provider's label, how often it is down, keeps its word, and what it does when."""

    host: str
    label: str
    down: float
    kept: float
    story: tuple[tuple[int, str], ...] = ()
    probes: bool = True
    key: str = ""


HABITS = {
    "pricing": Habit(
        "pricing.partner.example", "Partner Pricing", 0.004, 0.99, ((20, "bump"), (24, "break"), (26, "mend")), key="k1"
    ),
    "fares": Habit(
        "fares.partner.example",
        "Partner Pricing",
        0.01,
        0.97,
        ((33, "break+bump"), (35, "mend"), (50, "add")),
        key="k1",
    ),
    "invoices": Habit(
        "invoices.acme.example", "", 0.03, 0.9, ((12, "break"), (19, "bump"), (40, "mend"), (55, "break"))
    ),
    "ledger": Habit("ledger.acme.example", "", 0.02, 0.8, ((30, "flap"), (31, "flap"), (32, "flap"), (33, "flap"))),
    "seats": Habit(
        "seats.skyhop.example", "", 0.1, 0.7, ((15, "deprecate"), (28, "break"), (29, "mend"), (44, "key")), key="k2"
    ),
    "maps": Habit("maps.github.io", "", 0.0, 1.0),
    "weather": Habit("weather.late.example", "", 0.02, 0.5, ((41, "break"), (42, "mend")), probes=False),
}
LOCKED = {
    "pricing": "trip-planner",
    "fares": "trip-planner",
    "invoices": "billing",
    "seats": "trip-planner",
    "weather": "billing",
}

FALLBACK = {"fares": ("pricing", "maps"), "pricing": ("seats",)}


class World:
    """Tells `days` days; with `hostile`, whatever a provider writes is hostile text."""

    def __init__(self, *, days: int = 75, every_h: int = 6, seed: int = 1, hostile: bool = False) -> None:
        self._random, self._days, self._every, self._hostile = random.Random(seed), days, every_h, hostile
        self.facts: list[Stored] = []
        self._now = START
        self._agents = {name: _Agent(name, habit, hostile) for name, habit in HABITS.items()}

    def tell(self) -> list[Stored]:
        """The whole log."""
        for agent in self._agents.values():
            self._begin(agent)
        for hour in range(self._every, 24 * self._days, self._every):
            for place, agent in enumerate(self._agents.values()):
                self._now = START + hour * HOUR + place * timedelta(minutes=2)
                self._happens(agent, hour)
                self._look(agent)
                if hour % 24 == 12:
                    self._try(agent)
        return self.facts

    def _begin(self, agent: "_Agent") -> None:
        target = {"kind": "domain", "value": agent.habit.host}
        self._say(agent, "agent-tracked", target=target, provider=agent.habit.label, interval_s=self._every * 3600)
        self._card(agent)
        if agent.name in LOCKED:
            needs = Requires(skills={"main": SkillNeed(input=("text/plain",))})
            lock = Lockfile(
                agent=agent.name,
                workflow=LOCKED[agent.name],
                owner="team@example.org",
                interface=LockedInterface(binding="JSONRPC", version="1.0"),
                requires=needs,
                fallback=tuple(Candidate(agent=name) for name in FALLBACK.get(agent.name, ())),
                evidence_max_age_s=3 * 86_400 if agent.name != "weather" else None,
            )
            self._say(
                agent, "lockfile-pinned", workflow=LOCKED[agent.name], lockfile=lock, lock_digest=_sha(agent.name)
            )
            self._decide(agent, "compatible", cause="pin")

    def _happens(self, agent: "_Agent", hour: int) -> None:
        while agent.story and agent.story[0][0] * 24 <= hour:
            _, what = agent.story.pop(0)
            agent.change(what)

    def _look(self, agent: "_Agent") -> None:
        if self._random.random() < agent.habit.down or (
            agent.name == "seats" and timedelta(days=60) < self._now - START < timedelta(days=62)
        ):
            self._say(agent, "card-refused", stage="connect", reason="timed-out", fault="network", latency_ms=9000)
        elif agent.dirty:
            self._card(agent)
        else:
            headers = {"deprecation": "@1767225600"} if agent.deprecated else {}
            status = 200 if self._random.random() < 0.5 or agent.deprecated else 304
            latency = self._random.randint(8, 40) + (200 if agent.name == "invoices" else 0)
            told = {"headers": headers} if headers else {}
            self._say(agent, "card-fetched", status=status, same_as=agent.card_sequence, latency_ms=latency, **told)

    def _card(self, agent: "_Agent") -> None:
        digest = _sha(agent.state())
        outcome = {"outcome": "verified", "signer": agent.key} if agent.key else {"outcome": "absent"}
        told = {
            "raw_digest": digest,
            "semantic_digest": digest,
            "signatures_digest": _sha(agent.key),
            "size": 2048,
            "signature": outcome,
        }
        place = f"https://{agent.habit.host}/.well-known/agent-card.json"
        self._say(
            agent,
            "card-fetched",
            location=place,
            address="203.0.113.7",
            latency_ms=self._random.randint(20, 90),
            **told,
        )
        agent.card, agent.card_sequence, agent.dirty = self._last, len(self.facts), False
        self._compiled(agent)
        if agent.name in LOCKED and agent.verdict:
            wanted = "breaking" if agent.broken else "review" if agent.bumped else "compatible"
            agent.bumped = False
            if wanted != agent.verdict:
                self._decide(agent, wanted)

    def _compiled(self, agent: "_Agent") -> None:
        profile, identity = agent.profile(), agent.identity()
        told = {
            "card": agent.card,
            "card_sequence": agent.card_sequence,
            "card_digest": _sha(agent.state()),
            "profile": profile,
        }
        told |= {"profile_digest": _sha(profile.model_dump_json()), "identity": identity, "compiler_version": "1"}
        told |= {"identity_digest": _sha(identity.model_dump_json()), "client_digest": _sha("client")}
        self._say(agent, "profile-compiled", cause_id=agent.card, **told)

    def _decide(self, agent: "_Agent", verdict: str, cause: str = "agent") -> None:
        rule = {"breaking": "input-mode-removed", "review": "agent-version-changed"}.get(verdict)
        subject = "skills[main].inputModes" if verdict == "breaking" else "version"
        print_ = _sha(f"{agent.name} {rule}")
        found = (
            (Finding(rule=rule, severity=verdict, subject=subject, message="other", fingerprint=print_),)
            if rule
            else ()
        )
        told = {
            "verdict": verdict,
            "action": {"breaking": "stop", "review": "probe"}.get(verdict, "allow"),
            "findings": found,
        }
        told |= {
            "workflow": LOCKED[agent.name],
            "previous": agent.verdict,
            "valid_from": self._now.isoformat(),
            "cause": cause,
        }
        told |= {
            "considered_through": len(self.facts),
            "lock_digest": _sha(agent.name),
            "rules_version": "1",
            "policy_digest": _sha("p"),
        }
        self._say(
            agent, "change-decided", cause_id=self._last, recovered=verdict == "compatible" and cause == "agent", **told
        )
        agent.verdict = verdict

    def _try(self, agent: "_Agent") -> None:
        at = {"profile_digest": _sha(agent.profile().model_dump_json())}
        for claim in (
            ({"kind": "streaming"}, {"kind": "input-mode", "skill": "main", "value": "text/plain"})
            if agent.habit.probes
            else ()
        ):
            chance = self._random.random()
            outcome = (
                "inconclusive"
                if chance > 0.97
                else "held"
                if self._random.random() < agent.habit.kept
                else "contradicted"
            )
            self._say(
                agent, "probe-recorded", probe=claim["kind"], claim=claim, outcome=outcome, trials=1, passes=1, **at
            )
        calls = self._random.randint(0, 40)
        if calls and agent.name in LOCKED:
            bad = sum(self._random.random() > agent.habit.kept for _ in range(calls)) // 4
            for number in range(bad):
                contradicts = {"kind": "streaming"} if number % 2 == 0 else None
                told = {
                    "attribution": "provider" if contradicts else "throttle",
                    "contradicts": contradicts,
                    "error": "UnsupportedOperationError",
                }
                self._say(
                    agent,
                    "runtime-error-observed",
                    workflow=LOCKED[agent.name],
                    operation="SendStreamingMessage",
                    **told,
                    **at,
                )
            p50 = 100.0 + self._random.randint(0, 50)
            told = {"calls": calls, "errors": bad, "p50_ms": p50, "p95_ms": 3 * p50, "minute": self._now.isoformat()}
            self._say(agent, "calls-counted", workflow=LOCKED[agent.name], operation="SendStreamingMessage", **told)

    def _say(self, agent: "_Agent", kind: str, *, cause_id: UUID | None = None, **members: Any) -> None:
        sequence = len(self.facts) + 1
        self._now += timedelta(seconds=1)
        event = EVENTS[kind].model_validate({"agent": agent.name, **members})
        key = str(sequence)
        made = observation_id(int(self._now.timestamp() * 1000), sequence.to_bytes(10, "big"))
        self._last = derived_id(cause_id, "world", "1", key) if cause_id else made
        fact = Fact(id=self._last, source="world", time=self._now, causation=cause_id, data=event)
        self.facts.append(Stored(sequence=sequence, stored_at=self._now, fact=fact, raw=encode(fact)))


class _Agent:
    def __init__(self, name: str, habit: Habit, hostile: bool) -> None:
        self.name, self.habit, self.story, self.hostile = name, habit, list(habit.story), hostile
        self.version, self.broken, self.bumped, self.extra, self.deprecated, self.flapped = (
            1,
            False,
            False,
            0,
            False,
            False,
        )
        self.key, self.dirty = habit.key, False
        self.verdict: str | None = None
        self.card: UUID | None = None
        self.card_sequence = 0

    def change(self, what: str) -> None:
        self.dirty = self.dirty or what != "deprecate"
        match what:
            case "bump":
                self.version, self.bumped = self.version + 1, True
            case "break":
                self.broken = True
            case "break+bump":
                self.broken, self.version = True, self.version + 1
            case "mend":
                self.broken = False
            case "add":
                self.extra += 1
            case "flap":
                self.flapped = not self.flapped
            case "deprecate":
                self.deprecated = True
            case "key":
                self.key = "k3"

    def state(self) -> str:
        return f"{self.name} {self.version} {self.broken} {self.extra} {self.flapped}"

    def profile(self) -> Profile:
        url = f"https://{self.habit.host}/a2a"
        interface = Interface(url=url, binding="JSONRPC", version="1.0")
        more = [interface.model_copy(update={"url": f"{url}/{number}"}) for number in range(self.extra)]
        modes = ("application/json",) if self.broken else ("application/json", "text/plain")
        skills = {"main": SkillProfile(input=modes, output=("application/json",))}
        if self.hostile:
            skills |= {f"{HOSTILE}{self.version}": SkillProfile(input=(HOSTILE,), output=("text/plain",))}
        return Profile(
            usable=True, interface=interface, interfaces=(interface, *more), streaming=not self.flapped, skills=skills
        )

    def identity(self) -> Identity:
        version = f"{self.version}.0.0" + (HOSTILE if self.hostile else "")
        signed = {"signature": "verified", "signer": self.key} if self.key else {}
        return Identity.model_validate({"name": HOSTILE if self.hostile else self.name, "version": version, **signed})


def _sha(text: str) -> str:
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


async def stored(home: Path, facts: list[Stored]) -> Path:
    """A snapshot of a store that lived through these facts, with the sites of hosts as the product makes it."""
    store = DuckStore(home, everything().tables, maker=SNAPSHOTS)
    await drive(store, everything(), facts, [])
    await store.promote()
    await store.close()
    return newest(home, SNAPSHOTS)


def world(**settings: Any) -> list[Stored]:
    """The log of a season."""
    return World(**settings).tell()
