"""Extended cards on real sockets: several principals, one agent, and no secret anywhere afterwards."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from cardtrail.events import CardFetched, CardRefused
from cardtrail.services.wire.errors import CODE_OF
from tests.agent_host import AgentHost, Reply, Seen
from tests.journeys.discovery import Scene, scene

NAMES = ("rates.example", "login.example")
CARD, RPC, TOKEN = "/.well-known/agent-card.json", "/a2a", "/token"
SECRETS = {"mira": "mira-S3cret-bearer", "jon": "jon-S3cret-client", "eve": "eve-S3cret-bearer"}
GRANTED = "granted-S3cret-token"


def card(port: int, *skills: str, flag: bool = True) -> dict[str, Any]:
    return {
        "name": "Rates",
        "description": "Quotes rates.",
        "version": "1.0.0",
        "supportedInterfaces": [
            {"url": f"https://rates.example:{port}{RPC}", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}
        ],
        "capabilities": {"extendedAgentCard": flag},
        "securitySchemes": {"token": {"httpAuthSecurityScheme": {"scheme": "bearer"}}},
        "securityRequirements": [{"schemes": {"token": {"list": []}}}],
        "defaultInputModes": ["application/json"],
        "defaultOutputModes": ["application/json"],
        "skills": [{"id": skill, "name": skill, "description": skill, "tags": ["fx"]} for skill in skills],
    }


class Provider:
    """What the agent says to whom; a bearer decides."""

    def __init__(self, host: AgentHost) -> None:
        self.host = host
        self.extended: dict[str, Any] = {}
        host.serve(RPC, self.call, host="rates.example")
        host.serve(TOKEN, self.grant, host="login.example")

    def publish(self, *skills: str, flag: bool = True) -> None:
        self.host.serve(CARD, card(self.host.port, *skills, flag=flag), host="rates.example")

    def call(self, seen: Seen) -> Reply:
        said = self.extended.get(seen.headers.get("authorization", ""))
        asked = json.loads(seen.body)
        assert asked["method"] == "GetExtendedAgentCard"
        if said is None:
            return Reply({"error": "who are you"}, 401)
        if isinstance(said, Reply):
            return said
        member = "error" if "code" in said else "result"
        return Reply({"jsonrpc": "2.0", "id": asked["id"], member: said})

    def grant(self, seen: Seen) -> Reply:
        assert b"grant_type=client_credentials" in seen.body
        return Reply({"access_token": GRANTED, "token_type": "Bearer", "expires_in": 600})

    def asked(self) -> int:
        return sum(path == RPC for path in self.host.paths())


def settings(host: AgentHost, folder: Path) -> str:
    for name, secret in SECRETS.items():
        (folder / f"{name}.secret").write_text(secret)
    return f"""
[credentials.mira]
kind = "bearer"
hosts = ["rates.example"]
file = "mira.secret"
[credentials.eve]
kind = "bearer"
hosts = ["rates.example"]
file = "eve.secret"
[credentials.jon]
kind = "oauth2"
hosts = ["rates.example"]
file = "jon.secret"
client_id = "jon-client"
token_url = "https://login.example:{host.port}{TOKEN}"
networks = ["127.0.0.0/8"]
[agents.rates]
card_url = "https://rates.example:{host.port}{CARD}"
networks = ["127.0.0.0/8"]
principals = ["public", "mira", "jon", "eve"]
credentials = {{ mira = "mira", jon = "jon", eve = "eve" }}
"""


async def skills(held: Scene, principal: str) -> set[str]:
    return set((await held.profile("rates", principal))["profile"]["skills"])


def test_each_principal_sees_its_own_card_and_no_secret_is_left_behind(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    async def journey() -> None:
        with AgentHost(*NAMES) as host:
            provider = Provider(host)
            provider.publish("quote")
            provider.extended = {
                f"Bearer {SECRETS['mira']}": card(host.port, "quote", "audit"),
                f"Bearer {GRANTED}": card(host.port, "quote", "bulk"),
            }
            async with scene(tmp_path, host, settings(host, tmp_path)) as held:
                for principal in ("public", "mira", "jon", "eve"):
                    await held.look("rates", principal)
                assert await skills(held, "public") == {"quote"}
                assert await skills(held, "mira") == {"quote", "audit"}
                assert await skills(held, "jon") == {"quote", "bulk"}
                assert await skills(held, "eve") == {"quote"}
                trouble = (await held.freshness("rates", "eve"))["trouble"]
                assert (trouble["stage"], trouble["reason"], trouble["status"]) == ("authenticate", "unauthorized", 401)
                assert not (await held.freshness("rates", "mira"))["trouble"]
                await lapses(held, provider)
                kept = await held.kept()
            said = capfd.readouterr()
            everything = kept + said.out.encode() + said.err.encode()
            assert b"rates.example" in everything
            for secret in (*SECRETS.values(), GRANTED):
                assert secret.encode() not in everything
            for seen in host.seen:
                assert seen.host.startswith("rates") or "authorization" in seen.headers
                assert GRANTED not in seen.headers.get("authorization", "") or seen.host.startswith("rates")

    asyncio.run(journey())


async def lapses(held: Scene, provider: Provider) -> None:
    """What goes wrong with mira's card changes nothing for her; what ends it does; nobody else notices either."""
    mira = f"Bearer {SECRETS['mira']}"
    good = provider.extended.pop(mira)
    for wrong, reason in (
        (None, "unauthorized"),
        (Reply({}, 503), "unavailable"),
        (card(provider.host.port, "quote"), "public-card-again"),
        ({"nothing": 1}, "no-endpoint"),
    ):
        if wrong is not None:
            provider.extended[mira] = wrong
        *_, refused = await held.look("rates", "mira")
        assert isinstance(refused, CardRefused)
        assert (refused.extended, refused.principal) == (True, "mira")
        assert reason in (refused.reason, "no-endpoint")
        assert await skills(held, "mira") == {"quote", "audit"}
    provider.extended[mira] = {"code": CODE_OF["ExtendedAgentCardNotConfiguredError"], "message": "no"}
    (public,) = await held.look("rates", "mira")
    assert isinstance(public, CardFetched)
    assert "CT110" in {finding.code for finding in public.findings}
    assert await skills(held, "mira") == {"quote"}
    provider.extended[mira] = good
    await held.look("rates", "mira")
    assert await skills(held, "mira") == {"quote", "audit"}
    provider.publish("quote", flag=False)
    asked = provider.asked()
    for principal in ("public", "mira", "jon", "eve"):
        await held.look("rates", principal)
        assert await skills(held, principal) == {"quote"}
    assert provider.asked() == asked, "the flag is out: nobody asks"
