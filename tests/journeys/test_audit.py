"""An auditor's day: who brought it, why it fell, what would have been; taken away, asked elsewhere, proven; a forgery found."""

import asyncio
import json
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from cardtrail.events import CardFetched, ChangeDecided
from cardtrail.events.fact import instant
from cardtrail.services.cli.catalogue.schemas import schemas
from cardtrail.services.ledger.leaf import Leaf
from tests.journeys.test_live_commands import HOST, PDF, Desk, serves_and_pins
from tests.journeys.tracked import tracking
from tests.nats_server import server
from tests.services.audit import plain_fold
from tests.services.cli.program import cardtrail

NAMES = ("itinerary-pricing.output", "streaming", "version")
SEAL = '[seal]\nkey = "seal.key"\nevery = "1h"\n'


def test_a_day_of_an_auditor(tmp_path: Path) -> None:
    home, elsewhere = tmp_path / "home", tmp_path / "elsewhere"
    for folder in (home, elsewhere):
        folder.mkdir()
    key = cardtrail("seal", "--new-key", home / "seal.key", "--origin", "tracker.example/log", "--json").json
    assert (home / "seal.key").stat().st_mode & 0o077 == 0
    asyncio.run(day(home, elsewhere, key["verifier"]))


async def day(home: Path, elsewhere: Path, key: str) -> None:
    async with tracking(home, {"pricing": HOST}, SEAL) as tracked:
        desk = Desk(tracked, home)
        await a_card_changes(desk)
        told = await answers(desk)
        await as_a_plain_fold_says(desk, told)
        await what_would_have_been(desk, home)
        await it_is_taken_away(desk, elsewhere)
        await it_is_proven(desk, home, elsewhere, key)
    await asked_elsewhere(elsewhere, told)
    await a_forgery_is_named(elsewhere, key)


async def a_card_changes(desk: Desk) -> None:
    await serves_and_pins(desk)
    await desk.serves(version="4.0.0")
    await desk.serves(version="4.0.0", skills=PDF)
    (standing,) = (await desk.json("status"))["locks"]
    await desk.json("ack", standing["findings"][0]["fingerprint"][:12], "--reason", "looked at", "--by", "mira")
    await desk.tracked.decided((await desk.tracked.system.bus.info()).last)
    await desk.json("seal")


async def answers(desk: Desk) -> dict[str, Any]:
    """Everything an auditor asks, by the words that ask it; as of instants, for probes and deadlines go on being told."""
    facts = await desk.tracked.facts()
    instants = [instant(stored.stored_at) for stored in facts[:: max(len(facts) // 6, 1)]] + [
        instant(facts[-1].stored_at)
    ]
    decisions = [str(stored.sequence) for stored in facts if isinstance(stored.fact.data, ChangeDecided)]
    asked = [("explain", sequence) for sequence in decisions]
    asked += [("blame", "pricing", name, "--as-of", instants[-1]) for name in NAMES]
    asked += [("history", "pricing", "--all", "--as-of", instants[-1])]
    asked += [(word, "pricing", "--as-of", at) for at in instants for word in ("blame", "history")]
    asked += [("show", "pricing", "--as-of", instants[-1], "--against", at) for at in instants[:-1]]
    return {" ".join(words): await desk.json(*words) for words in asked}


async def as_a_plain_fold_says(desk: Desk, told: dict[str, Any]) -> None:
    facts = await desk.tracked.facts()
    name = "skills.itinerary-pricing.output"
    said = next(answer["values"] for words, answer in told.items() if name.removeprefix("skills.") in words)
    expected = plain_fold.values(facts, "pricing", name)
    shown = [(one["value"], one["after"], one["first_seen"], one["sequence"]) for one in said]
    assert shown == [one[:4] for one in expected]
    assert [one["brought"][-1]["what"] for one in said] == ["pin", "decision"]
    decision = next(stored for stored in reversed(facts) if isinstance(stored.fact.data, ChangeDecided))
    why = told[f"explain {decision.sequence}"]
    worst = why["reasons"][0]
    assert (worst["finding"]["rule"], worst["now"]["value"], worst["before"]["value"]) == (
        "output-modes-disjoint", ["application/pdf"], ["application/json"],
    )  # fmt: skip
    assert {cause["role"] for cause in why["causes"]} >= {"profile", "body", "lock"}
    assert any(one["accepted"] and one["accepted"]["by"] == "mira" for one in why["reasons"])
    near = await desk.json("blame", "pricing", "itinerary-pricing.out", code=2)
    assert near["error"]["hint"] == "one of .input, .output, .scopes, .security"
    assert (await desk.json("explain", "ffffffff", code=2))["error"]["code"] == "fact-unknown"


async def what_would_have_been(desk: Desk, home: Path) -> None:
    """Nothing is told: the log is as long as before."""
    before = (await desk.tracked.system.bus.info()).last
    rules = home / "stricter.toml"
    rules.write_text('agent-version-changed = "breaking"\n')
    (found,) = (await desk.json("replay", "--rules", str(rules)))["differing"]
    assert (found["was"]["verdict"], found["would"]["verdict"]) == ("review", "breaking")
    client = home / "client.json"
    client.write_text(json.dumps({"interfaces": [["GRPC", "1.0"]]}))
    found = (await desk.json("replay", "--client", str(client)))["differing"]
    assert {one["would"]["verdict"] for one in found} == {"breaking"}
    assert (await desk.json("replay", "--recompile"))["differing"] == []
    rules.write_text('agent-version-changd = "breaking"\n')
    refused = await desk.json("replay", "--rules", str(rules), code=2)
    assert refused["error"]["hint"] == "did you mean agent-version-changed?"
    verified = await desk.json("replay", "--verify")
    assert verified["derived"]["same"]
    assert verified["derived"]["decisions"] >= 3
    assert (await desk.tracked.system.bus.info()).last == before


async def it_is_taken_away(desk: Desk, elsewhere: Path) -> None:
    told = await desk.json("export", "--agent", "pricing", "-o", str(elsewhere / "incident.tar.gz"))
    assert told["manifest"]["redacted"]["change-acknowledged.by"] == 1
    await desk.json("export", "--agent", "pricing", "-o", str(elsewhere / "open"))
    text = b"".join(path.read_bytes() for path in (elsewhere / "open").iterdir())
    for secret in (b"mira", b"looked at", b"127.0.0.1"):
        assert secret not in text
    await desk.json("export", "--full", "-o", str(elsewhere / "whole"))
    looks = [one for one in await desk.tracked.facts() if isinstance(one.fact.data, CardFetched)]
    version = next(one for one in looks if one.fact.data.agent_version == "4.0.0")
    since = instant(version.stored_at - timedelta(microseconds=1))
    told = await desk.json("export", "--agent", "pricing", "--since", since, "-o", str(elsewhere / "since.tar"))
    assert (told["manifest"]["context"] > 3, told["manifest"]["scope"]["known_from"]) == (True, version.sequence)
    refused = await desk.json("export", "--full", "-o", str(elsewhere / "whole"), code=2)
    assert refused["error"]["code"] == "output-unwritable"
    refused = await desk.json("import", str(elsewhere / "whole"), code=2)
    assert (refused["error"]["code"], "CARDTRAIL_DATA=" in refused["error"]["hint"]) == ("log-not-empty", True)


async def it_is_proven(desk: Desk, home: Path, elsewhere: Path, key: str) -> None:
    shutil.copytree(home / "cardtrail-data" / "seal", elsewhere / "seal")
    first = next(stored for stored in await desk.tracked.facts() if isinstance(stored.fact.data, ChangeDecided))
    await desk.json("seal")
    proof = elsewhere / "fact.proof.json"
    await desk.json("prove", first.fact.id.hex[:12], "--older", str(elsewhere / "seal"), "-o", str(proof))
    checked = cardtrail("verify-log", "--proof", proof, "--key", key, "--json")
    Draft202012Validator(schemas()["verify-log"]()).validate(checked.json)
    assert (checked.code, checked.json["proof"]["holds"], checked.json["proof"]["sequence"]) == (
        0,
        True,
        first.sequence,
    )
    assert (await desk.json("verify-log", "--proof", str(proof)))["proof"]["signed"] == [key]
    assert cardtrail("verify-log", "--proof", proof, "--json").code == 1
    forged = elsewhere / "forged.proof.json"
    forged.write_text(proof.read_text().replace("allow", "stop!"))
    assert cardtrail("verify-log", "--proof", forged, "--key", key, "--json").json["proof"]["holds"] is False
    whole = await desk.json("verify-log", "--checkpoints", str(elsewhere / "seal"))
    assert whole["checked"]["alteration"] is None
    assert all(head["matches"] and head["signed"] for head in whole["checked"]["heads"])
    for name in ("incident.tar.gz", "open", "whole"):
        sealed = cardtrail("verify-log", elsewhere / name, "--key", key, "--json")
        assert (sealed.code, sealed.json["checked"]["heads"][0]["matches"]) == (0, True), name


@asynccontextmanager
async def imported(bundle: Path, folder: Path) -> AsyncIterator[Any]:
    """Another machine: an empty broker, the bundle in it, a shell."""
    with server() as running:

        async def ask(*words: str | Path, code: int = 0) -> Any:
            environ = {"NATS_URL": running.url, "CARDTRAIL_DATA": str(folder)}
            done = await asyncio.to_thread(cardtrail, *words, "--json", **environ)
            assert done.code == code, done
            return done.json

        assert (await ask("import", bundle))["facts"] > 0
        yield ask


async def asked_elsewhere(elsewhere: Path, told: dict[str, Any]) -> None:
    async with imported(elsewhere / "whole", elsewhere / "lab") as ask:
        last = (await ask("import", elsewhere / "whole", code=2))["error"]["message"]
        assert "facts already" in last
        for words, answer in told.items():
            assert await ask(*words.split(" ")) == answer, words
    async with imported(elsewhere / "incident.tar.gz", elsewhere / "desk") as ask:
        for words, answer in told.items():
            if words.startswith(("blame", "show")):
                assert bare(await ask(*words.split(" "))) == bare(answer), words
            elif words.startswith("explain"):
                said = await ask(*words.split(" "))
                shown = [(one["finding"], one["now"], one["before"], one["since"]) for one in said["reasons"]]
                assert shown == [(one["finding"], one["now"], one["before"], one["since"]) for one in answer["reasons"]]

    async with imported(elsewhere / "since.tar", elsewhere / "late") as ask:
        at = next(words for words in told if words.startswith("blame pricing version"))
        said, answer = await ask(*at.split(" ")), told[at]
        assert said["values"][-1] == answer["values"][-1]
        assert 1 < said["known_from"] == answer["values"][-1]["sequence"]
        decided = {int(words.split(" ")[1]): answer for words, answer in told.items() if words.startswith("explain")}
        late = [sequence for sequence in decided if sequence >= said["known_from"]]
        assert late
        for sequence in late:
            why, before = await ask("explain", str(sequence)), decided[sequence]
            assert why["missing"] == before["missing"] == []
            assert causes(why) == causes(before)
            assert [rests(one) for one in why["reasons"]] == [rests(one) for one in before["reasons"]]


def causes(why: Any) -> list[tuple[str, int]]:
    """As what, and which facts."""
    return [(one["role"], one["sequence"]) for one in why["causes"]]


def rests(reason: Any) -> tuple[Any, ...]:
    """A reason without the words that are redacted."""
    accepted = reason["accepted"]
    return *(reason[name] for name in ("finding", "now", "before", "since")), accepted and accepted["sequence"]


def bare(answer: Any) -> Any:
    """Without the last sequence read: the last one known at an instant may be about another agent, and not in a slice."""
    if isinstance(answer, dict):
        return {name: bare(value) for name, value in answer.items() if name != "through"}
    return answer


async def a_forgery_is_named(elsewhere: Path, key: str) -> None:
    """Whoever can write the log anew, hashes and digests included, is found out by a head kept elsewhere."""
    forged, sequence = elsewhere / "forged", forge(elsewhere / "whole", elsewhere / "forged")
    found = cardtrail("verify-log", forged, "--key", key, "--checkpoints", elsewhere / "seal", "--json")
    assert (found.code, found.json["checked"]["alteration"]["what"]) == (1, "differs")
    async with imported(forged, elsewhere / "other") as ask:
        said = await ask("verify-log", "--key", key, "--checkpoints", elsewhere / "seal", code=1)
        alteration = said["checked"]["alteration"]
        assert (alteration["what"], alteration["sequence"], alteration["confirmed"]) == ("altered", sequence, True)
        said = await ask("verify-log", "--key", key, code=1)
        assert said["checked"]["alteration"]["what"] == "differs"
        assert said["checked"]["alteration"]["after"] < sequence <= said["checked"]["alteration"]["through"]


def forge(whole: Path, forged: Path) -> int:
    """Make a decision kinder, and everything that the forger can reach fit to it."""
    import hashlib

    shutil.copytree(whole, forged)
    lines = [json.loads(line) for line in (forged / "facts.jsonl").read_text().splitlines()]
    place, line = next((at, one) for at, one in enumerate(lines) if '"verdict":"review"' in one["event"])
    event = line["event"].replace('"verdict":"review"', '"verdict":"compatible"')
    leaf = Leaf(line["sequence"], int(line["stored_ns"]), line["subject"], event.encode()).hash().hex()
    lines[place] = line | {"event": event, "leaf": leaf}
    data = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in lines).encode()
    (forged / "facts.jsonl").write_bytes(data)
    manifest = json.loads((forged / "manifest.json").read_text())
    manifest["files"]["facts.jsonl"]["sha256"] = f"sha256:{hashlib.sha256(data).hexdigest()}"
    (forged / "manifest.json").write_text(json.dumps(manifest))
    return int(line["sequence"])


@pytest.mark.parametrize("name", ["facts.jsonl", "bodies.jsonl"])
def test_a_bundle_that_is_not_what_its_manifest_says_is_refused(name: str, tmp_path: Path) -> None:
    bundle = tmp_path / "bundle"
    bundle.mkdir()
    files = {one: {"sha256": "sha256:" + "0" * 64, "lines": 1} for one in (name,)}
    scope = {"agents": [], "principals": [], "since": None, "until": None, "through": 1, "known_from": 1}
    manifest = {"format": "cardtrail.bundle/1", "release": "0", "scope": scope, "redaction": "none", "redacted": {}}
    manifest |= {"facts": 1, "context": 0, "bodies": 0, "bodies_left_out": {}, "head": "", "files": files}
    (bundle / "manifest.json").write_text(json.dumps(manifest))
    (bundle / name).write_text("{}\n")
    done = cardtrail("verify-log", bundle, "--json")
    assert (done.code, done.json["error"]["code"]) == (3, "bundle-altered")
    (bundle / "manifest.json").write_text(json.dumps(manifest | {"format": "cardtrail.bundle/9"}))
    assert cardtrail("verify-log", bundle, "--json").json["error"]["code"] == "bundle-version-unknown"
