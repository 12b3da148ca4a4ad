"""Signatures on real sockets: keys by URL through rotation, rewriting, revocation and expiry."""

import asyncio
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from cardtrail.events import CardFetched, CardRefused, LockfilePinned
from cardtrail.events.model.lockfile import LockedInterface, Lockfile, Requires, Signer
from cardtrail.services.bus.kv_read import read_row
from cardtrail.services.card.parse import parse
from cardtrail.services.card.sign import sign
from cardtrail.services.card.verify import verify
from cardtrail.services.telling import operator_fact
from cardtrail.services.wire.errors import CODE_OF
from tests.agent_host import AgentHost, Reply, Seen
from tests.journeys.discovery import LOCAL, Scene, card, scene
from tests.services.card.signers import ALL_KEYS, PRIVATE, public

CARD = "/.well-known/agent-card.json"


def no_task(seen: Seen) -> Reply:
    """An endpoint that lives: it knows no task, and no version but its own."""
    name = "TaskNotFoundError" if seen.headers.get("a2a-version") == "1.0" else "VersionNotSupportedError"
    error = {"code": CODE_OF[name], "message": name}
    return Reply({"jsonrpc": "2.0", "id": json.loads(seen.body)["id"], "error": error})


class Keys:
    """A provider's key set behind a URL: what is served now, and how often it was asked for."""

    def __init__(self, host: AgentHost) -> None:
        self.keys: list[dict[str, Any]] = [public("ec")]
        self.asked = 0
        host.serve("/jwks.json", self.page, host="keys.example")

    def page(self, _seen: Seen) -> Reply:
        self.asked += 1
        return Reply({"keys": self.keys}, headers={"Content-Type": "application/jwk-set+json"})


async def verdict(held: Scene) -> tuple[str, set[str]]:
    row = await read_row(held.system.bus, "lockfile_status", "public", "lockfile_status", ("public", "w", "rates"))
    assert row is not None
    return row["verdict"], {one["rule"] for one in row["findings"] if one["severity"] != "note"}


def codes(fact: Any) -> set[str]:
    assert isinstance(fact, CardFetched), fact
    return {one.code for one in fact.findings if one.code.startswith("CT2")}


def test_a_lock_that_demands_a_signature_holds_through_rotation_rewriting_and_expiry(tmp_path: Path) -> None:
    """Keys come from the operator's URL alone, whatever the card says of its own."""

    async def journey() -> None:
        with AgentHost("rates.example", "keys.example", "evil.example") as host:
            keys = Keys(host)
            settings = (
                f'[keys."https://rates.example:{host.port}"]\nurls = ["{host.url("/jwks.json", "keys.example")}"]\n'
                f'revoked = ["stolen"]\n{LOCAL}[discovery]\nkey_lifetime = 0\nkey_cooldown = 0\n'
                f'[agents.rates]\ncard_url = "{host.url(CARD, "rates.example")}"\n{LOCAL}'
            )
            good = sign(card(host, "rates.example"), PRIVATE["ec"])
            host.serve(CARD, good, host="rates.example")
            host.serve("/a2a", no_task, host="rates.example")
            async with scene(tmp_path, host, settings) as held:
                await held.until(lambda: held.profile("rates"))
                assert (await held.freshness("rates"))["signature"] == "verified"
                await still_verifies(held, good)
                lock = Lockfile(
                    workflow="w",
                    agent="rates",
                    interface=LockedInterface(binding="JSONRPC", version="1.0"),
                    requires=Requires(),
                    signer=Signer(required=True),
                )
                pinned = LockfilePinned(agent="rates", workflow="w", lockfile=lock, lock_digest="")
                await held.system.bus.tell([operator_fact(pinned, "test")])
                await held.look("rates")
                assert await verdict(held) == ("compatible", set())
                await rotated(held, host, keys)
                await rewritten(held, host)
                await expired(held, host, keys, good)
                await rolled_back(held, host)
            assert not any(seen.host.startswith("evil") for seen in host.seen), "a jku is never asked"

    asyncio.run(journey())


async def still_verifies(held: Scene, served: dict[str, Any]) -> None:
    """The bytes are kept as they came, so what was verified can be verified for ever."""
    (fact,) = await held.told(CardFetched)
    body = await held.system.bus.get_body("rates", "public", fact.raw_digest)
    assert body == Reply(served).data()
    again = verify(body, parse(body), ALL_KEYS, now=datetime.now(UTC), origin="https://rates.example")
    assert again.summary() == fact.signature


async def rotated(held: Scene, host: AgentHost, keys: Keys) -> None:
    renewed = sign(card(host, "rates.example", version="1.0.1"), PRIVATE["ec2"])
    keys.keys = [public("ec"), public("ec2")]
    host.serve(CARD, renewed, host="rates.example")
    (seen,) = await held.look("rates")
    assert "CT208" in codes(seen), "a key that this origin did not use before"
    assert seen.signature.outcome == "verified"  # type: ignore[attr-defined]
    assert "signature-required" not in (await verdict(held))[1]
    jku = host.url("/jwks.json", "evil.example")
    forged = sign(card(host, "rates.example", name="Forged"), PRIVATE["ed"] | {"kid": "evil"}, jku=jku)
    host.serve(CARD, forged, host="rates.example")
    (seen,) = await held.look("rates")
    assert seen.signature.outcome == "unverifiable"  # type: ignore[attr-defined]
    assert (await verdict(held))[0] == "breaking"
    stolen = sign(card(host, "rates.example"), PRIVATE["rsa"] | {"kid": "stolen"})
    keys.keys.append(public("rsa", kid="stolen"))
    host.serve(CARD, stolen, host="rates.example")
    (seen,) = await held.look("rates")
    assert seen.signature.reason == "key-revoked"  # type: ignore[attr-defined]


async def rolled_back(held: Scene, host: AgentHost) -> None:
    """Well signed and never seen here, but of an earlier version: an old card that somebody serves again."""
    for version, found in (("1.2.0", set()), ("1.10.0", set()), ("1.9.3", {"CT211"})):
        host.serve(CARD, sign(card(host, "rates.example", version=version), PRIVATE["ec"]), host="rates.example")
        (seen,) = await held.look("rates")
        assert isinstance(seen, CardFetched)
        assert (seen.signature.outcome, seen.agent_version) == ("verified", version)
        assert codes(seen) & {"CT210", "CT211"} == found


async def rewritten(held: Scene, host: AgentHost) -> None:
    """A gateway moves the endpoint and leaves the signature: unverifiable, with the member that would explain it."""
    good = sign(card(host, "rates.example"), PRIVATE["ec"])
    host.serve(CARD, good, host="rates.example")
    await held.look("rates")
    assert await verdict(held) == ("compatible", set())
    moved = {**good, "supportedInterfaces": [good["supportedInterfaces"][0] | {"url": "https://gate.example/x/a2a"}]}
    host.serve(CARD, moved, host="rates.example")
    (seen,) = await held.look("rates")
    assert isinstance(seen, CardFetched)
    assert (seen.signature.outcome, seen.signature.reason) == ("unverifiable", "rewritten")
    (explained,) = [one for one in seen.findings if one.code == "CT202"]
    assert "$.supportedInterfaces[0].url" in explained.message
    assert "signature-required" in (await verdict(held))[1]
    host.serve(CARD, {**good, "description": "Forged."}, host="rates.example")
    (refused,) = await held.look("rates")
    assert isinstance(refused, CardRefused)
    assert (refused.stage, refused.reason) == ("verify", "signature-invalid")


async def expired(held: Scene, host: AgentHost, keys: Keys, good: dict[str, Any]) -> None:
    """Nothing changes but the key set: a 304 does not outlive its key, and a key that is back is seen as well."""
    host.serve(CARD, good, host="rates.example")
    await held.look("rates")
    (same,) = await held.look("rates")
    assert isinstance(same, CardFetched)
    assert (same.status, same.same_as is not None, same.signature.outcome) == (304, True, "verified")
    keys.keys = [public("ec", exp=1)]
    (late,) = await held.look("rates")
    assert isinstance(late, CardFetched)
    assert (late.status, late.signature.outcome, late.signature.reason) == (200, "unverifiable", "key-expired")
    assert (await verdict(held))[0] == "breaking"

    async def alarmed() -> list[str]:
        return [line for line in (await held.health("fetcher"))["alarms"] if line.startswith("key ")]

    (alarm,) = await held.until(alarmed)
    assert alarm == f'key "ec" of https://rates.example:{host.port} ends on 1970-01-01 00:00 UTC'
    keys.keys = [public("ec")]
    (again,) = await held.look("rates")
    assert isinstance(again, CardFetched)
    assert again.signature.outcome == "verified"
    assert "card-flapping" in (await verdict(held))[1], "so often to and fro, it has to settle first"
