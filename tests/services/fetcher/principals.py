"""An agent with a public card and one extended card per credential, looked at by several principals; the log is played here."""

import asyncio
import json
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

from cardtrail.events import AgentTracked, CardFetched, CardRefused, Event, Fact, Stored, observation_id
from cardtrail.events.agent_tracked import Target
from cardtrail.events.fact import PUBLIC
from cardtrail.events.model.policy import ClientCapabilities, EndpointPolicy
from cardtrail.projections.projection import Rows
from cardtrail.services.card.compile import COMPILER_VERSION
from cardtrail.services.compiler.compiled import compiled
from cardtrail.services.compiler.compiler import Compiler
from cardtrail.services.fetcher.dispatch import Dispatch
from cardtrail.services.fetcher.errand import Errand
from cardtrail.services.fetcher.examine import Checks
from cardtrail.services.fetcher.memory import Memory, memory_key
from cardtrail.services.fetcher.refresh import refresh
from cardtrail.services.fetcher.replacement import Known, Means, replaced
from cardtrail.services.kept import load
from cardtrail.services.outbound.call import Answer, Attachment, Call, Refusal, Send
from cardtrail.services.wire.errors import CODE_OF

NOW = datetime(2026, 10, 2, 8, 30, tzinfo=UTC)
HOME = "https://rates.example/.well-known/agent-card.json"
RPC, REST = "https://rates.example/a2a", "https://rates.example/rest"
BINDINGS = {"JSONRPC": RPC, "HTTP+JSON": REST}
Answered = Answer | Refusal


def card(*skills: str, bindings: tuple[str, ...] = ("JSONRPC",), flag: bool = True, **changes: Any) -> dict[str, Any]:
    """A card with these skills."""
    return {
        "name": "Rates",
        "description": "Quotes rates.",
        "version": "1.0.0",
        "supportedInterfaces": [
            {"url": BINDINGS[binding], "protocolBinding": binding, "protocolVersion": "1.0"} for binding in bindings
        ],
        "capabilities": {"extendedAgentCard": flag},
        "defaultInputModes": ["application/json"],
        "defaultOutputModes": ["application/json"],
        "skills": [{"id": skill, "name": skill, "description": skill, "tags": ["fx"]} for skill in skills],
        **changes,
    }


def answer(url: str, value: Any, status: int = 200, **headers: str) -> Answer:
    """An answer in JSON."""
    return Answer(status, url, headers, json.dumps(value).encode(), "application/json", "192.0.2.1", 7)


@dataclass(frozen=True)
class Token:
    """A credential that says who it is."""

    name: str
    hosts: tuple[str, ...] = ("rates.example",)
    client_certificate: None = None

    async def attach(self, send: Send) -> Attachment:
        """The token itself is the name."""
        del send
        return Attachment({"Authorization": f"Bearer secret-{self.name}"})

    def rejected(self) -> None:
        """Nothing was fetched."""


@dataclass
class Agent:
    """The other side: `public` card, `extended` by credential name (a card, or a whole answer), what it was asked."""

    public: dict[str, Any]
    extended: dict[str, Any] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    asked: list[tuple[str, str, str]] = field(default_factory=list)

    async def send(self, call: Call) -> Answered:
        """Answer as an agent would: conditional GETs by a tag over the card, JSON-RPC in its envelope."""
        who = call.credential.name if call.credential else ""
        self.asked.append((call.method, call.url, who))
        if call.url == HOME:
            return self._tagged(call, self.public, {})
        said = self.extended.get(who, {"error": "who are you"})
        if isinstance(said, Answer | Refusal):
            return said
        if "error" in said:
            return answer(call.url, said, 401)
        if call.method == "POST":
            identifier = json.loads(call.body)["id"]
            return answer(call.url, {"jsonrpc": "2.0", "id": identifier, "result": said}, **self.headers)
        return self._tagged(call, said, self.headers)

    def extended_requests(self) -> list[tuple[str, str, str]]:
        """Requests for anything but the public card."""
        return [asked for asked in self.asked if asked[1] != HOME]

    def _tagged(self, call: Call, value: dict[str, Any], headers: dict[str, str]) -> Answer:
        tag = f'"{sha256(json.dumps(value).encode()).hexdigest()[:12]}"'
        if call.headers.get("If-None-Match") == tag:
            return Answer(304, call.url, {"etag": tag, **headers}, b"")
        return answer(call.url, value, etag=tag, **headers)


@dataclass
class Desk:
    """The fetcher's side of the log: facts in order, the dispatch fold and the compiler over them, bodies by their keys."""

    agent: Agent
    checks: Checks = field(default_factory=Checks)
    client: ClientCapabilities = field(default_factory=ClientCapabilities)
    tokens: dict[str, Token | None] = field(default_factory=dict)
    now: datetime = NOW
    log: list[Event] = field(default_factory=list)
    bodies: dict[tuple[str, str, str], bytes] = field(default_factory=dict)
    profiles: dict[str, set[str]] = field(default_factory=dict)
    rows: Rows = field(default_factory=Rows)
    compiler_rows: Rows = field(default_factory=Rows)

    def track(self, *principals: str) -> None:
        """Watch the agent as these."""
        for principal in principals:
            self.tokens.setdefault(principal, None if principal == PUBLIC else Token(principal))
            target = Target(kind="card-url", value=HOME)
            self.tell(AgentTracked(agent="rates", principal=principal, target=target, interval_s=3_600))

    def look(
        self, principal: str, *, forced: bool = False, anew: bool = False, after: timedelta = timedelta(hours=2)
    ) -> list[Event]:
        """One look; the facts told."""
        self.now += after
        target = Target(kind="card-url", value=HOME)
        errand = Errand(
            "rates",
            target,
            principal,
            EndpointPolicy(),
            self.tokens[principal],
            legacy_path=False,
            interval_s=3_600,
            forced=forced,
            anew=anew,
        )
        outcomes = asyncio.run(self._look(errand))
        for outcome in outcomes:
            if outcome.body is not None and isinstance(outcome.fact, CardFetched):
                self.bodies[("rates", principal, outcome.fact.raw_digest)] = outcome.body
            self.tell(outcome.fact)
        return [outcome.fact for outcome in outcomes]

    async def _look(self, errand: Errand) -> tuple[Any, ...]:
        public, extended = (self.memory(errand.principal, extended=one) for one in (False, True))
        outcome = await refresh(errand, public, self.agent.send, self.checks, self.now)
        if errand.principal == PUBLIC:
            return (outcome,)

        async def bodies(digest: str) -> bytes | None:
            return self.bodies.get(("rates", errand.principal, digest))

        means = Means(self.agent.send, self.checks, self.client, bodies)
        return await replaced(errand, outcome, Known(public, extended), means, self.now)

    def tell(self, event: Event) -> None:
        """Put a fact on the log and let the folds see it."""
        self.log.append(event)
        number = len(self.log)
        fact = Fact(
            id=observation_id(int(self.now.timestamp() * 1000), number.to_bytes(10, "big")),
            source="t",
            time=self.now,
            data=event,
        )
        stored = Stored(sequence=number, stored_at=self.now, fact=fact)
        Dispatch(3_600).apply(stored, self.rows)
        for told in Compiler(compiled, COMPILER_VERSION).derive(stored, self.compiler_rows, self.bodies):
            self.profiles[told.data.principal] = set(told.data.profile.skills)  # type: ignore[attr-defined]

    def memory(self, principal: str, *, extended: bool = False) -> Memory:
        """What the fold remembers."""
        return load(self.rows, Memory, memory_key("rates", principal, extended=extended)) or Memory()


def kinds(facts: list[Event]) -> list[str]:
    """Each fact in a word: `full`, `same`, with `aside` or `extended` before it; `refused:REASON`."""
    return [_kind(fact) for fact in facts]


def _kind(fact: Event) -> str:
    if isinstance(fact, CardRefused):
        return f"refused:{fact.reason}"
    assert isinstance(fact, CardFetched)
    which = "aside " if fact.aside else "extended " if fact.extended else ""
    return which + ("full" if fact.same_as is None else "same")


def findings(fact: Event) -> set[str]:
    """The codes of a fact's findings about how it was had."""
    assert isinstance(fact, CardFetched)
    return {finding.code for finding in fact.findings if finding.code.startswith("CT1")}


def rpc_error(name: str) -> Any:
    """An answer that is this error."""
    return answer(RPC, {"jsonrpc": "2.0", "id": "1", "error": {"code": CODE_OF[name], "message": "no"}})


def desk(agent: Agent, *principals: str) -> Desk:
    """A desk that watches the agent as these."""
    made = Desk(agent)
    made.track(*principals)
    return made
