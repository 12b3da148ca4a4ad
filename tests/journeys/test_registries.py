"""Registries on real sockets: walked, followed, down, paged, hostile; what they list is verified like anything else."""

import asyncio
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from cardtrail.events import AgentTracked, AgentUntracked, CardFetched, CardRefused, RegistryScanned
from cardtrail.services.bus.schedules import Due, schedule
from cardtrail.services.card.sign import sign
from cardtrail.services.cli.catalogue.schemas import schemas
from tests.agent_host import AgentHost, Reply, Seen
from tests.journeys.discovery import Scene, scene
from tests.services.card.signers import PRIVATE, public
from tests.services.cli.program import Done, cardtrail

NAMES = ("fx.example", "catalog.example", "records.example")
CATALOG, CARD = "/.well-known/ai-catalog.json", "/card.json"
OTHER = "sha256:" + "0" * 64
TYPE = "application/a2a-agent-card+json"


def card(port: int, skill: str) -> dict[str, Any]:
    return {
        "name": skill,
        "description": "Quotes rates.",
        "version": "1.0.0",
        "supportedInterfaces": [
            {"url": f"https://fx.example:{port}/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}
        ],
        "capabilities": {"streaming": False},
        "defaultInputModes": ["application/json"],
        "defaultOutputModes": ["application/json"],
        "skills": [{"id": skill, "name": skill, "description": skill, "tags": ["fx"]}],
    }


def entry(identifier: str, **content: Any) -> dict[str, Any]:
    return {"identifier": identifier, "type": TYPE, "tags": ["fx"], "tenant": "ledger", **content}


def settings(host: AgentHost, folder: Path) -> str:
    (folder / "list.json").write_text(json.dumps([{"url": host.url("/listed.json", "fx.example"), "id": "listed"}]))
    (folder / "keys.json").write_text(json.dumps({"keys": [public("ec")]}))
    return f"""
[keys]
"https://fx.example:{host.port}" = "keys.json"
[registries.company]
source = "ai-catalog:https://catalog.example:{host.port}"
networks = ["127.0.0.0/8"]
[registries.records]
source = "a2a-registry:https://records.example:{host.port}"
networks = ["127.0.0.0/8"]
[registries.own]
source = "list.json"
networks = ["127.0.0.0/8"]
"""


async def walk(held: Scene, registry: str) -> RegistryScanned:
    before = len(await held.told(RegistryScanned))
    await schedule(
        held.system.bus, [Due(what="refresh", due=datetime.now(UTC), agent=registry, host="test", fingerprint="scan")]
    )

    async def again() -> RegistryScanned | None:
        told = (await held.told(RegistryScanned))[before:]
        return next((one for one in told if one.registry == registry), None)

    found: RegistryScanned = await held.until(again)
    await held.settled()
    return found


async def watched(held: Scene) -> set[str]:
    now: set[str] = set()
    for stored in await held.facts():
        event = stored.fact.data
        if isinstance(event, AgentTracked):
            now.add(event.agent)
        elif isinstance(event, AgentUntracked):
            now.discard(event.agent)
    return now


async def skills(held: Scene, agent: str) -> set[str]:
    async def known() -> dict[str, Any] | None:
        row = await held.profile(agent)
        return row or None

    return set((await held.until(known))["profile"]["skills"])


def test_registries_are_walked_and_followed(tmp_path: Path) -> None:
    async def journey() -> None:
        with AgentHost(*NAMES) as host:
            long = card(host.port, "embedded") | {"description": "Quotes rates. " * 25_000}
            signed = sign(long, PRIVATE["ec"])
            entries = [
                entry("urn:air:fx.example:fx:rates", url=host.url(CARD, "fx.example"), digest=OTHER),
                entry("urn:air:fx.example:fx:embedded", data=signed),
                entry("urn:air:fx.example:fx:inside", url="https://169.254.169.254/card.json"),
                entry("urn:air:fx.example:fx:both", url="https://x.example/c", data={}),
            ]
            host.serve(CARD, card(host.port, "quote"), host="fx.example")
            host.serve("/listed.json", card(host.port, "listed"), host="fx.example")
            host.serve("/recorded.json", card(host.port, "recorded"), host="fx.example")
            host.serve(CATALOG, {"specVersion": "1.0", "entries": entries}, host="catalog.example")
            records = Records(host)
            async with scene(tmp_path, host, settings(host, tmp_path)) as held:
                await followed(held, entries, host)
                await down(held, host)
                await records.paged(held)

    asyncio.run(journey())


async def followed(held: Scene, entries: list[dict[str, Any]], host: AgentHost) -> None:
    rates, embedded = "company/urn:air:fx.example:fx:rates@ledger", "company/urn:air:fx.example:fx:embedded@ledger"
    assert await skills(held, rates) == {"quote"}
    assert await skills(held, embedded) == {"embedded"}
    assert await skills(held, "own/listed") == {"listed"}
    told = next(one for one in await held.told(RegistryScanned) if one.registry == "company")
    assert (told.complete, told.candidates, told.refused) == (True, 3, 2)
    assert await watched(held) == {rates, embedded, "own/listed"}
    row = await held.freshness(embedded)
    assert row["signature"] == "verified", (
        "a large embedded card is verified with the keys of the place it calls itself"
    )
    (seen,) = [one for one in await held.told(CardFetched) if one.agent == rates]
    assert [one.code for one in seen.findings if one.code.startswith("CT10")] == ["CT105"]
    tracked = [one for one in await held.told(AgentTracked) if one.agent == rates]
    assert tracked[0].registry_metadata["tenant"] == "ledger"
    chosen = (await held.profile(rates))["profile"]["interface"]
    assert chosen["tenant"] is None, "a registry's tenant is no tenant of a call"
    await chosen_among(held)
    forged = dict(entries[1]["data"], description="Forged.")
    listing = [entries[0], entry("urn:air:fx.example:fx:embedded", data=forged), entry("no-card", data={"name": "x"})]
    host.serve(CATALOG, {"specVersion": "1.0", "entries": listing}, host="catalog.example")
    assert (await walk(held, "company")).complete

    async def both() -> set[str] | None:
        found = {(one.agent, one.stage) for one in await held.told(CardRefused)}
        return found if len(found) > 1 else None

    assert await held.until(both) == {(embedded, "verify"), ("company/no-card@ledger", "validate")}
    assert await skills(held, embedded) == {"embedded"}, "the last good card stays"
    host.serve(CATALOG, {"specVersion": "1.0", "entries": entries[:1]}, host="catalog.example")
    assert (await walk(held, "company")).complete
    assert await watched(held) == {rates, "own/listed"}


async def chosen_among(held: Scene) -> None:
    """`cardtrail candidates` over all that was found."""

    def asked(*arguments: str) -> Done:
        config = str(held.folder / "cardtrail.toml")
        return cardtrail("candidates", *arguments, "--config", config, cwd=held.folder, NATS_URL=held.system.url)

    rates = "company/urn:air:fx.example:fx:rates@ledger"
    config = str(held.folder / "cardtrail.toml")
    for command, said in (("show", "CT105  registry-digest-differs"), ("history", "CT105 registry-digest-differs")):
        words = (command, rates, "--config", config)
        told = await asyncio.to_thread(lambda words=words: cardtrail(*words, cwd=held.folder, NATS_URL=held.system.url))
        assert said in told.out
    done = await asyncio.to_thread(asked, "--skill-tag", "fx", "--tenant", "ledger", "--json", "--for-model")
    Draft202012Validator(schemas()["candidates"]()).validate(done.json)
    assert (done.code, [one["skill"] for one in done.json["passed"]]) == (0, ["embedded", "quote", "listed"])
    assert "BEGIN UNTRUSTED" in done.json["texts"]
    done = await asyncio.to_thread(asked, "--skill", "quote", "--output", "text/html", "--tenant", "other")
    assert done.code == 1
    for reason in ("tenant: tenant-differs", "output: mode-not-given (quote)", "skill: skill-not-offered"):
        assert reason in done.out


async def down(held: Scene, host: AgentHost) -> None:
    before = await watched(held)
    for answer, problem in (
        (Reply({}, 503), "unavailable"),
        (Reply({}, 401), "unauthorized"),
        (Reply(b"<html>", headers={"Content-Type": "text/html"}), "a-page-not-json"),
        (Reply(b'{"specVersion": "1.0", "entries": [', headers={"Content-Type": "application/json"}), "json"),
        (Reply({"specVersion": "2.0", "entries": []}), "spec-version-unknown"),
        (Reply(b"", ends="reset"), ""),
    ):
        host.serve(CATALOG, answer, host="catalog.example")
        told = await walk(held, "company")
        assert not told.complete
        assert problem in told.problem or told.problem
    assert await watched(held) == before
    assert await held.told(CardFetched)


class Records:
    """A paged listing whose pages overlap, end short, or lead in circles."""

    def __init__(self, host: AgentHost) -> None:
        self.host = host
        self.total = 0

    async def paged(self, held: Scene) -> None:
        assert not (await walk(held, "records")).complete, "nothing answers yet"
        for offset in (0, 2):
            self.host.serve(f"/agents?limit=100&offset={offset}", self.page, host="records.example")
        told = await walk(held, "records")
        assert (told.complete, told.candidates, told.problem) == (False, 3, "total-differs"), "the fourth was not met"
        found = {agent for agent in await watched(held) if agent.startswith("records/")}
        assert found == {"records/a", "records/b", "records/c"}
        self.host.serve("/agents?limit=100&offset=2", Reply({}, 500), host="records.example")
        told = await walk(held, "records")
        assert (told.complete, told.candidates) == (False, 2)
        assert {agent for agent in await watched(held) if agent.startswith("records/")} == found

    def page(self, seen: Seen) -> Reply:
        ids = ("a", "b") if seen.path.endswith("offset=0") else ("b", "c")
        agents = [
            {"id": one, "name": one, "wellKnownURI": self.host.url(f"/{one}.json", "fx.example"), "is_healthy": True}
            for one in ids
        ]
        return Reply({"agents": agents, "total": 4, "limit": 100})
