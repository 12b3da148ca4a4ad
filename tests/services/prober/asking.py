"""A probe sent through a real door to an unchanged SDK agent behind a lying gateway."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from cardtrail.events.fact import dump
from cardtrail.events.model.policy import ClientCapabilities, EndpointPolicy
from cardtrail.events.model.profile import Profile
from cardtrail.services.card.compile import compile_profile
from cardtrail.services.card.read import read_card
from cardtrail.services.outbound.client import Door
from cardtrail.services.prober.ask import Asker
from cardtrail.services.prober.memory import Subject
from cardtrail.services.prober.probes import PROBES
from cardtrail.services.prober.trials import Trial
from cardtrail.services.prober.tried import Target, tried
from cardtrail.services.settings import LimitSettings, ProbeSettings, TlsSettings
from tests.a2a_agent import SdkAgent, card
from tests.liar_proxy import LiarProxy
from tests.streams import PATIENCE_S

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
HERE = EndpointPolicy(cidrs=("127.0.0.0/8",))
MESSAGE = {"messageId": "m", "role": "ROLE_USER", "parts": [{"data": {"dry": True}, "mediaType": "application/json"}]}


@contextmanager
def agent(pause_s: float = 0.0) -> Iterator[tuple[SdkAgent, LiarProxy]]:
    """The agent and the gateway before it."""
    with SdkAgent(pause_s=pause_s) as running, LiarProxy(running.port) as proxy:
        yield running, proxy


def profile(base: str, binding: str = "JSONRPC", **changes: Any) -> Profile:
    """The profile of the agent's card, with changes to the card."""
    reading = read_card(dump(card(base, binding=binding) | changes))
    assert reading.card is not None
    return compile_profile(reading.card, ClientCapabilities(extensions=("https://e/known",)))


def ask(
    ca_file: Any, made: Profile, *probes: str, total_s: float = PATIENCE_S, after: Callable[[], object] = lambda: None
) -> list[Trial]:
    """The trials of these probes' first claims, one after the other through one door; `after` is called after each."""

    async def here(_name: str) -> tuple[str, ...]:
        return ("127.0.0.1",)

    async def run() -> list[Trial]:
        assert made.interface is not None
        async with Door(LimitSettings(), TlsSettings(ca_bundle=ca_file, only=True), resolver=here) as door:
            asker = Asker(door.open, ProbeSettings(total_s=total_s), lambda: NOW)
            target = Target(
                Subject(profile=made, endpoints=HERE, card_digest="sha256:public"), made, made.interface, None
            )
            found = []
            for name in probes:
                claim = PROBES[name].claims(made)[0]
                attempt = PROBES[name].attempt(made.interface, made, claim, MESSAGE)
                found.append(await tried(asker, PROBES[name], claim, attempt, target))
                after()
            return found

    return asyncio.run(run())
