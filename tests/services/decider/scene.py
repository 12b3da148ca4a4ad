"""A log written by hand and the decider beside it: each line one fact, each fact's decisions at once."""

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from cardtrail.events import (
    AgentTracked,
    CallsCounted,
    CardFetched,
    CardRefused,
    ChangeAcknowledged,
    ChangeDecided,
    DeadlinePassed,
    Event,
    Fact,
    LockfilePinned,
    PolicyDeclared,
    ProbeRecorded,
    ProfileCompiled,
    RuntimeErrorObserved,
    Stored,
    observation_id,
)
from cardtrail.events.agent_tracked import Target
from cardtrail.events.canonical import digest
from cardtrail.events.model.evidence import Claim
from cardtrail.events.model.lockfile import Candidate, LockedInterface, Lockfile, Requires, SkillNeed
from cardtrail.events.model.policy import Policy
from cardtrail.events.model.profile import Alternative, Identity, Interface, Profile, Scheme, SkillProfile
from cardtrail.projections.projection import Rows
from cardtrail.services.decider.decider import Decider
from cardtrail.services.verdict.judge import judge
from cardtrail.services.verdict.rules import RULES_VERSION
from tests.projections.log import START

AGENT = "pricing"
TRIP = "trip"
LOCK = "sha256:" + "1" * 64
URL = "https://pricing.partner.example/.well-known/agent-card.json"
STREAMING = Claim(kind="streaming")
JSON = ("application/json",)


def profile(  # noqa: PLR0913 — what a story changes
    *,
    streaming: bool = True,
    output: tuple[str, ...] = JSON,
    scopes: tuple[str, ...] = ("pricing.quote",),
    binding: str = "JSONRPC",
    usable: bool = True,
    skill: str = "itinerary-pricing",
) -> Profile:
    chosen = Interface(url="https://pricing.partner.example/a2a", binding=binding, version="1.0")
    other = Interface(url="https://pricing.partner.example/a2a", binding="GRPC", version="1.0", supported=False)
    scheme = Scheme(kind="oauth2", flow="clientCredentials", urls={"tokenUrl": "https://pricing.partner.example/token"})
    return Profile(
        usable=usable,
        interface=chosen,
        interfaces=(chosen, other),
        streaming=streaming,
        schemes={"oauth": scheme},
        security=(Alternative(schemes={"oauth": scopes}),),
        skills={skill: SkillProfile(input=JSON, output=output)},
    )


def lock(*fallback: Candidate, agent: str = AGENT, workflow: str = TRIP, **members: Any) -> Lockfile:
    needs = Requires(
        streaming=True,
        skills={"itinerary-pricing": SkillNeed(input=JSON, output=JSON, scopes=("pricing.quote",))},
    )
    given: dict[str, Any] = {
        "agent_version": "3.2.0",
        "interface": LockedInterface(binding="JSONRPC", version="1.0"),
        "requires": needs,
        "owner": "travel",
        "channel": "ops",
        "fallback": fallback,
    }
    return Lockfile(agent=agent, workflow=workflow, **given | members)


class Scene:
    """Tells facts to a decider, one at a time; `told` are all decisions, in order."""

    def __init__(self, *, step_s: float = 60.0, rules_version: str = RULES_VERSION) -> None:
        self.rows = Rows()
        self.decider = Decider(judge, rules_version)
        self.log: list[Stored] = []
        self.told: list[Fact] = []
        self.now = START
        self.step = timedelta(seconds=step_s)

    def tell(self, event: Event, fact: Fact | None = None) -> list[ChangeDecided]:
        """Append a fact; the decisions that follow from it."""
        self.now += self.step
        sequence = len(self.log) + 1
        number = observation_id(int(self.now.timestamp() * 1000), sequence.to_bytes(10, "big"))
        said = fact or Fact(id=number, source="test", time=self.now, data=event)
        self.log.append(Stored(sequence=sequence, stored_at=self.now, fact=said))
        following = self.decider.derive(self.log[-1], self.rows)
        self.told += following
        return [one.data for one in following if isinstance(one.data, ChangeDecided)]

    def again(self, stored: Stored) -> list[ChangeDecided]:
        """The same fact stored once more, under a new sequence."""
        return self.tell(stored.fact.data, stored.fact)

    def wait(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)

    def track(self, agent: str = AGENT, value: str = URL, **members: Any) -> list[ChangeDecided]:
        return self.tell(AgentTracked(agent=agent, target=Target(kind="card-url", value=value), **members))

    def pin(self, value: Lockfile | None = None, agent: str = AGENT, **members: Any) -> list[ChangeDecided]:
        value = value or lock(agent=agent)
        event = LockfilePinned(agent=agent, workflow=value.workflow, lockfile=value, lock_digest=LOCK, **members)
        return self.tell(event)

    def fetch(self, agent: str = AGENT, *, equal: bool = False, **members: Any) -> list[ChangeDecided]:
        given = {"same_as": 1} if equal else {"location": URL, "raw_digest": f"sha256:{len(self.log)}"}
        return self.tell(CardFetched(agent=agent, **given | members))

    def compile(
        self, value: Profile, agent: str = AGENT, version: str = "3.2.0", **members: Any
    ) -> list[ChangeDecided]:
        """The profile of the last observation."""
        identity = Identity(name="Pricing", version=version)
        given: dict[str, Any] = {
            "card": self.log[-1].fact.id,
            "card_sequence": self.log[-1].sequence,
            "card_digest": "sha256:c",
            "profile": value,
            "profile_digest": digest(value),
            "identity": identity,
            "identity_digest": digest(identity),
            "compiler_version": "1",
            "client_digest": "sha256:k",
        }
        return self.tell(ProfileCompiled(agent=agent, **given | members))

    def observe(
        self, value: Profile, agent: str = AGENT, version: str = "3.2.0", **members: Any
    ) -> list[ChangeDecided]:
        """A new card and its profile."""
        return [
            *self.fetch(agent, principal=members.get("principal", "public")),
            *self.compile(value, agent, version, **members),
        ]

    def refuse(self, stage: str = "parse", agent: str = AGENT, **members: Any) -> list[ChangeDecided]:
        return self.tell(
            CardRefused.model_validate({"agent": agent, "stage": stage, "reason": "json-syntax", **members})
        )

    def probe(self, outcome: str, value: Profile, claim: Claim = STREAMING, agent: str = AGENT) -> list[ChangeDecided]:
        told = {
            "agent": agent,
            "probe": claim.kind,
            "claim": claim,
            "outcome": outcome,
            "profile_digest": digest(value),
        }
        return self.tell(ProbeRecorded.model_validate(told))

    def fail(self, claim: Claim | None = STREAMING, workflow: str = TRIP) -> list[ChangeDecided]:
        event = RuntimeErrorObserved(
            agent=AGENT,
            workflow=workflow,
            operation="SendStreamingMessage",
            error="UnsupportedOperationError",
            profile_digest="sha256:p",
            contradicts=claim,
        )
        return self.tell(event)

    def count(self, calls: int, errors: int = 0, workflow: str = TRIP) -> list[ChangeDecided]:
        minute = self.now.isoformat()
        event = CallsCounted(
            agent=AGENT, workflow=workflow, operation="SendStreamingMessage", minute=minute, calls=calls, errors=errors
        )
        return self.tell(event)

    def acknowledge(self, fingerprint: str, until: str | None = None, workflow: str = TRIP) -> list[ChangeDecided]:
        event = ChangeAcknowledged(
            agent=AGENT, workflow=workflow, fingerprint=fingerprint, reason="known", until=until, by="mira"
        )
        return self.tell(event)

    def declare(self, policy: Policy) -> list[ChangeDecided]:
        return self.tell(PolicyDeclared(policy=policy, digest=digest(policy)))

    def strike(self) -> list[ChangeDecided]:
        """The earliest instant waited for comes."""
        from cardtrail.services.decider.deadlines import wanted

        first = min(wanted(self.rows).values(), key=lambda one: one.due)
        self.wait(max(0.0, (_at(first) - self.now).total_seconds()))
        return self.tell(first)


def settled(profile_now: Profile | None = None) -> Scene:
    """A scene in which the workflow is pinned and was found compatible once."""
    scene = Scene()
    scene.track()
    scene.observe(profile_now or profile())
    scene.pin(baseline=profile_now or profile(), baseline_identity=Identity(name="Pricing", version="3.2.0"))
    scene.fetch(equal=True)
    scene.tell(_again(scene))
    return scene


def rules(decision: ChangeDecided) -> set[str]:
    """The rules that speak in a decision, notes left out."""
    return {finding.rule for finding in decision.findings if finding.severity != "note"}


def outline(decisions: Iterable[ChangeDecided]) -> list[tuple[str, str]]:
    """Verdict and action of each decision."""
    return [(decision.verdict, decision.action) for decision in decisions]


def _again(scene: Scene) -> ProfileCompiled:
    """What the compiler tells of an equal observation after a pin."""
    last = next(stored.fact.data for stored in reversed(scene.log) if isinstance(stored.fact.data, ProfileCompiled))
    return last.model_copy(
        update={"card": scene.log[-1].fact.id, "card_sequence": scene.log[-1].sequence, "cause": "pin"}
    )


def _at(event: DeadlinePassed) -> Any:
    from datetime import datetime

    return datetime.fromisoformat(event.due)
