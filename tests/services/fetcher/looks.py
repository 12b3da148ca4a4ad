"""A card, an agent to look at, and looks through a real door with the log played by a counter."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from cardtrail.events.agent_tracked import Target
from cardtrail.events.card_fetched import CardFetched
from cardtrail.events.card_refused import CardRefused
from cardtrail.events.model.policy import EndpointPolicy
from cardtrail.services.fetcher.errand import Errand
from cardtrail.services.fetcher.examine import Checks
from cardtrail.services.fetcher.memory import Memory
from cardtrail.services.fetcher.refresh import Outcome, refresh
from cardtrail.services.outbound.client import Door
from cardtrail.services.settings import LimitSettings, TlsSettings
from tests.agent_host import AgentHost
from tests.streams import PATIENCE_S

NOW = datetime(2026, 10, 2, 8, 30, tzinfo=UTC)
WELL_KNOWN = "/.well-known/agent-card.json"
LEGACY = "/.well-known/agent.json"


def card(**changes: Any) -> dict[str, Any]:
    """A valid card, with changes."""
    return {
        "name": "Pricing",
        "description": "Prices itineraries.",
        "version": "3.2.0",
        "supportedInterfaces": [
            {"url": "https://agent.example/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}
        ],
        "capabilities": {"streaming": True},
        "defaultInputModes": ["application/json"],
        "defaultOutputModes": ["application/json"],
        "skills": [{"id": "quote", "name": "Quote", "description": "Quotes.", "tags": ["price"]}],
        **changes,
    }


class Watch:
    """Looks at one agent, one after the other; `memory` and the log's sequence move as in the product."""

    def __init__(self, host: AgentHost, kind: str = "base-url", path: str = "", **errand: Any) -> None:
        value = host.url(path) if kind in ("base-url", "card-url") else path
        self.host, self.sequence, self.now = host, 0, NOW
        self.memory = Memory()
        self.errand = Errand(
            "pricing",
            Target.model_validate({"kind": kind, "value": value}),
            **{"policy": EndpointPolicy(cidrs=("127.0.0.0/8",)), "legacy_path": False, **errand},
        )
        self.checks = Checks()
        self.before: Callable[[int], None] = lambda _look: None

    def looks(
        self, count: int = 1, *, every: timedelta = timedelta(days=1), redirects: int = 0, total_s: float = PATIENCE_S
    ) -> list[Outcome]:
        """So many looks, `every` apart, through one door that gives each answer `total_s` seconds."""

        async def here(_name: str) -> tuple[str, ...]:
            return (self.host.address,)

        async def run() -> list[Outcome]:
            tls = TlsSettings(ca_bundle=self.host.ca_file, only=True)
            limits = LimitSettings(redirects=redirects, fetch_total_s=total_s)
            async with Door(limits, tls, resolver=here) as door:
                found = []
                for look in range(count):
                    self.before(look)
                    outcome = await refresh(self.errand, self.memory, door.send, self.checks, self.now)
                    found.append(outcome)
                    self.sequence += 1
                    self.memory = self.memory.after(outcome.fact, self.sequence, self.now)
                    self.now += every
                return found

        return asyncio.run(run())

    def look(self, **settings: Any) -> Outcome:
        """One look."""
        (found,) = self.looks(1, **settings)
        return found


def fetched(outcome: Outcome) -> CardFetched:
    """The observation, if it is one."""
    assert isinstance(outcome.fact, CardFetched), outcome.fact
    return outcome.fact


def refused(outcome: Outcome) -> CardRefused:
    """The refusal, if it is one."""
    assert isinstance(outcome.fact, CardRefused), outcome.fact
    return outcome.fact


def codes(outcome: Outcome) -> list[str]:
    """The codes of an observation's findings about how it was had."""
    return [finding.code for finding in fetched(outcome).findings if finding.code.startswith("CT1")]
