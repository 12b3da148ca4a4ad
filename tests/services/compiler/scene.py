"""A log written by hand and the compiler beside it; a body is `profile|name|text`, so each test chooses what differs."""

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from cardtrail.events import (
    AgentTracked,
    CardFetched,
    CardRefused,
    Event,
    Fact,
    LockfilePinned,
    PolicyDeclared,
    ProfileCompiled,
    Stored,
    observation_id,
)
from cardtrail.events.agent_tracked import Target
from cardtrail.events.canonical import digest, raw_digest
from cardtrail.events.card_fetched import SignatureSummary
from cardtrail.events.model.lockfile import Candidate, LockedInterface, Lockfile, Requires
from cardtrail.events.model.policy import ClientCapabilities, Policy
from cardtrail.events.model.profile import Identity, Profile, SkillProfile
from cardtrail.projections.projection import Rows
from cardtrail.services.compiler.compiled import Compiled
from cardtrail.services.compiler.compiler import Body, Compiler
from tests.projections.log import START

AGENT = "pricing"
URL = "https://pricing.partner.example/card.json"
EXTENSION = ClientCapabilities(extensions=("https://x.example/e",))
PLAIN = b"quote|Pricing|words"


def compiled(data: bytes, signature: SignatureSummary, client: ClientCapabilities) -> Compiled | None:
    """A compiler for these tests: a skill that begins with `x` shows only to clients with an extension."""
    skill, name, text = data.decode().split("|")
    if not skill:
        return None
    usable = not skill.startswith("x") or bool(client.extensions)
    profile, identity = Profile(usable=usable, skills={skill: SkillProfile()}), Identity(name=name)
    identity = identity.model_copy(update={"signature": signature.outcome, "signer": signature.signer})
    return Compiled(
        profile=profile,
        profile_digest=digest(profile),
        identity=identity,
        identity_digest=digest(identity),
        texts_digest=digest(text),
    )


class Scene:
    """Tells facts to a compiler, one at a time or in batches; `told` is all that followed."""

    def __init__(self, version: str = "1", rows: Rows | None = None) -> None:
        self.compiler = Compiler(compiled, version)
        self.rows = rows or Rows()
        self.bodies: dict[Body, bytes] = {}
        self.log: list[Stored] = []
        self.told: list[Fact] = []
        self.handed: set[Body] = set()

    def write(self, event: Event) -> Stored:
        """Append a fact without reading it."""
        sequence = len(self.log) + 1
        now = START + timedelta(seconds=sequence)
        number = observation_id(int(now.timestamp() * 1000), sequence.to_bytes(10, "big"))
        self.log.append(
            Stored(sequence=sequence, stored_at=now, fact=Fact(id=number, source="test", time=now, data=event))
        )
        return self.log[-1]

    def read(self, batch: Iterable[Stored]) -> list[ProfileCompiled]:
        """Let the compiler read facts, with exactly the bodies it asked for."""
        batch = list(batch)
        wanted = self.compiler.wants([stored.fact.data for stored in batch], self.rows)
        self.handed |= wanted
        bodies = {body: self.bodies[body] for body in wanted if body in self.bodies}
        told = [fact for stored in batch for fact in self.compiler.derive(stored, self.rows, bodies)]
        self.told += told
        return [fact.data for fact in told if isinstance(fact.data, ProfileCompiled)]

    def tell(self, event: Event) -> list[ProfileCompiled]:
        return self.read([self.write(event)])

    def fetched(self, body: bytes = PLAIN, agent: str = AGENT, **members: Any) -> CardFetched:
        """A full observation, its body kept."""
        named = raw_digest(body)
        self.bodies[(agent, members.get("principal", "public"), named)] = body
        return CardFetched.model_validate({"agent": agent, "raw_digest": named, "location": URL, **members})

    def fetch(self, body: bytes = PLAIN, agent: str = AGENT, **members: Any) -> list[ProfileCompiled]:
        return self.tell(self.fetched(body, agent, **members))

    def same(self, agent: str = AGENT, **members: Any) -> list[ProfileCompiled]:
        return self.tell(CardFetched.model_validate({"agent": agent, "same_as": 1, "status": 304, **members}))

    def pin(self, agent: str = AGENT, *fallback: str, **members: Any) -> list[ProfileCompiled]:
        return self.tell(pinned(agent, *fallback, **members))

    def refuse(self, agent: str = AGENT) -> list[ProfileCompiled]:
        return self.tell(CardRefused(agent=agent, stage="parse", reason="json-syntax"))

    def declare(self, client: ClientCapabilities) -> list[ProfileCompiled]:
        return self.tell(declared(client))

    def track(self, agent: str = AGENT, value: str = URL) -> list[ProfileCompiled]:
        return self.tell(AgentTracked(agent=agent, target=Target(kind="card-url", value=value)))


def declared(client: ClientCapabilities) -> PolicyDeclared:
    return PolicyDeclared(policy=Policy(client=client), digest=digest(client))


def pinned(agent: str = AGENT, *fallback: str, **members: Any) -> LockfilePinned:
    lock = Lockfile(
        agent=agent,
        workflow="trip",
        interface=LockedInterface(binding="JSONRPC", version="1.0"),
        requires=Requires(),
        fallback=tuple(Candidate(agent=name) for name in fallback),
    )
    return LockfilePinned(agent=agent, workflow="trip", lockfile=lock, lock_digest="sha256:l", **members)


def causes(told: list[ProfileCompiled]) -> list[str]:
    return [one.cause for one in told]
