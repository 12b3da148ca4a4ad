"""Real histories, served version by version over real HTTPS and tracked live while services die: judged as labelled."""

import asyncio
import json
import os
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from cardtrail.events import CardFetched, CardRefused, ChangeDecided, LockfilePinned, PolicyDeclared, ProfileCompiled
from cardtrail.events.canonical import digest, raw_digest
from cardtrail.events.errors import InputRefused
from cardtrail.events.model.policy import ClientCapabilities, Policy
from cardtrail.services.bus.alone import ended
from cardtrail.services.card.compile import compile_profile
from cardtrail.services.card.read import CardReading, read_card
from cardtrail.services.rebuild import verify_buckets
from cardtrail.services.verdict.diff import client_of, diff, everything
from cardtrail.services.verdict.lock import lock_digest
from tests.journeys.tracked import Tracked, tracking

SHARED = os.environ.get("CARDTRAIL_SHARED")
CORPUS = Path(SHARED or ".") / "corpus"
KILLED = ("fetcher", "compiler", "decider", "projector")
AT_ONCE = 12
GROWN = 100
USUAL = b"""{"name": "x", "description": "x", "version": "1", "capabilities": {}, "skills": [], "supportedInterfaces":
[{"url": "https://x.example", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}]}"""

pytestmark = pytest.mark.skipif(not SHARED, reason="CARDTRAIL_SHARED names no folder with the corpus")


class Version(NamedTuple):
    """One version of a history: its bytes and their reading."""

    file: str
    data: bytes
    reading: CardReading


@dataclass
class Step:
    """What was seen live of one step."""

    history: str
    old: str
    new: str
    offline: str
    live: str
    rules: list[str] = field(default_factory=list)


def histories() -> dict[str, list[Version]]:
    found = {}
    for folder in sorted((CORPUS / "histories").iterdir()):
        listed = json.loads((folder / "history.json").read_text())["versions"]
        versions = [Version(one["file"], (folder / one["file"]).read_bytes(), CardReading) for one in listed]
        found[folder.name] = [one._replace(reading=read_card(one.data)) for one in versions]
    return found


def labels() -> dict[tuple[str, str], dict[str, Any]]:
    rows = [json.loads(line) for line in (CORPUS / "labels.jsonl").read_text().splitlines()]
    return {(row["history"], row["new_file"]): row for row in rows}


def client_for(version: Version) -> ClientCapabilities:
    """The client that `diff` assumes; a known binding without version is matched by any of them."""
    assert version.reading.card is not None
    client = client_of(version.reading.card)
    known = {binding for binding, number in client.interfaces if number == "1.0"}
    needed = tuple(pair for pair in client.interfaces if pair[1] or pair[0] not in known)
    return client.model_copy(update={"interfaces": needed})


def can_be_pinned(version: Version) -> bool:
    card = version.reading.card
    return card is not None and compile_profile(card, client_of(card)).usable


def offline(old: Version, new: Version) -> str:
    try:
        return diff(old.reading, new.reading).verdict
    except InputRefused:
        return "unpinnable"


async def pinned(tracked: Tracked, history: str, version: Version) -> None:
    """Pin everything that this version offers, as it is in force now; wait for the first decision."""
    card = version.reading.card
    assert card is not None
    lock = everything(card, compile_profile(card, client_of(card)))
    lock = lock.model_copy(update={"workflow": "all", "agent": history, "pinned_at": version.file})
    event = LockfilePinned(agent=history, workflow="all", lockfile=lock, lock_digest=lock_digest(lock))
    sequence = await tracked.tell(event)
    seen = await tracked.observed(history, sequence)
    await tracked.decided(seen.sequence)
    status = await tracked.status("all", history)
    rules = [(finding["rule"], finding["message"]) for finding in status["findings"] if finding["severity"] != "note"]
    assert status["verdict"] == "compatible", (history, version.file, rules)


async def walked(tracked: Tracked, history: str, versions: list[Version]) -> list[Step]:
    """Serve each version, have it looked at, compare; pin anew whatever can be pinned."""
    steps: list[Step] = []
    last: Version | None = None
    for version in versions:
        tracked.publish(f"{host(history)}", version.data)
        await tracked.look(history)
        if last is not None:
            status = await tracked.status("all", history)
            rules = [finding["rule"] for finding in status["findings"] if finding["severity"] != "note"]
            steps.append(Step(history, last.file, version.file, offline(last, version), status["verdict"], rules))
        if can_be_pinned(version):
            await pinned(tracked, history, version)
            last = version
    return steps


async def in_their_own_worlds(tracked: Tracked, histories: dict[str, list[Version]]) -> list[Step]:
    """As `walked`, with the client that each old card asks for declared before; all that ask for the same go together."""
    left = {name: [pair for pair in pairwise(found) if can_be_pinned(pair[0])] for name, found in histories.items()}
    steps: list[Step] = []

    async def walk(name: str, client: ClientCapabilities) -> None:
        while left[name] and client_for(left[name][0][0]) == client:
            steps.append(await stepped(tracked, name, *left[name].pop(0)))

    while due := [name for name, pairs in left.items() if pairs]:
        asked = {name: client_for(left[name][0][0]) for name in due}
        client = max(asked.values(), key=list(asked.values()).count)
        await declare(tracked, client)
        await asyncio.gather(*(walk(name, client) for name in due))
    return steps


async def stepped(tracked: Tracked, history: str, old: Version, new: Version) -> Step:
    """The old card served and pinned, then the new one."""
    tracked.publish(host(history), old.data)
    await tracked.look(history)
    await pinned(tracked, history, old)
    tracked.publish(host(history), new.data)
    await tracked.look(history)
    status = await tracked.status("all", history)
    rules = [finding["rule"] for finding in status["findings"] if finding["severity"] != "note"]
    return Step(history, old.file, new.file, offline(old, new), status["verdict"], rules)


def settings_for(client: ClientCapabilities) -> str:
    pairs = ", ".join(f'["{binding}", "{version}"]' for binding, version in client.interfaces)
    return f"[client]\ninterfaces = [{pairs}]\nmissing_version_matches = true\n"


async def declare(tracked: Tracked, client: ClientCapabilities) -> None:
    policy = Policy(client=client)
    await tracked.tell(PolicyDeclared(policy=policy, digest=digest(policy)))


def host(history: str) -> str:
    return f"{history.replace('_', '-')[:50].strip('-')}-{abs(hash(history)) % 997}.example"


async def kill_all(tracked: Tracked, times: int) -> None:
    """kill -9 each service in turn, `times` over, each time after the log has grown."""
    for service in KILLED * times:
        last = (await tracked.system.bus.info()).last
        await tracked.reaches("decider", "decider", last + GROWN)
        tracked.system.children.kill(service)


async def live(folder: Path) -> tuple[list[Step], list[Any], dict[str, int], list[Any]]:
    all_versions = {name: versions for name, versions in histories().items() if len(versions) > 1}
    usual = client_for(Version("", USUAL, read_card(USUAL)))
    odd = {
        name
        for name, versions in all_versions.items()
        if any(can_be_pinned(one) and client_for(one) != usual for one in versions)
    }
    async with tracking(folder, {name: host(name) for name in all_versions}, settings_for(usual)) as tracked:
        room = asyncio.Semaphore(AT_ONCE)

        async def walk(name: str) -> list[Step]:
            async with room:
                return await walked(tracked, name, all_versions[name])

        killing = asyncio.create_task(kill_all(tracked, 2))
        steps = [
            step for found in await asyncio.gather(*map(walk, sorted(all_versions.keys() - odd))) for step in found
        ]
        await ended(killing)
        steps += await in_their_own_worlds(tracked, {name: all_versions[name] for name in sorted(odd)})
        last = (await tracked.system.bus.info()).last
        await tracked.decided(last)
        compared = await verify_buckets(tracked.system.bus, "public")
        return steps, await tracked.facts(), tracked.system.children.restarts, compared


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Step], list[Any], dict[str, int], list[Any]]:
    return asyncio.run(live(tmp_path_factory.mktemp("histories")))


def test_every_labelled_step_is_judged_live_as_its_label_says(story: tuple[list[Step], ...]) -> None:
    known = labels()
    seen = {(step.history, step.new): step for step in story[0]}
    wrong = [
        f"{row['id']}: live {seen[key].live} by {seen[key].rules}, label {row['expert_verdict']}"
        for key, row in known.items()
        if key in seen and seen[key].old == row["old_file"] and seen[key].live != row["expert_verdict"]
    ]
    assert wrong == []
    assert sum(key in seen and seen[key].old == row["old_file"] for key, row in known.items()) >= 50


def test_every_step_is_judged_live_as_the_offline_tool_judges_it(story: tuple[list[Step], ...]) -> None:
    wrong = [
        step for step in story[0] if step.offline not in (step.live, "unpinnable") and "card-flapping" not in step.rules
    ]
    assert wrong == []
    assert len(story[0]) > 300


def test_killing_every_service_again_and_again_loses_and_doubles_nothing(story: Any) -> None:
    steps, facts, restarts, _compared = story
    assert all(restarts[service] >= 1 for service in KILLED)
    ids = Counter(stored.fact.id for stored in facts)
    assert [identifier for identifier, count in ids.items() if count > 1] == []
    for kind in (ProfileCompiled, ChangeDecided):
        told = Counter(
            (stored.fact.causation, stored.fact.data.agent) for stored in facts if isinstance(stored.fact.data, kind)
        )
        assert max(told.values()) <= 2, told.most_common(3)
    digests = {
        stored.fact.data.raw_digest for stored in facts if isinstance(stored.fact.data, CardFetched | CardRefused)
    }
    served = {(step.history, step.new) for step in steps}
    missing = [
        one.file
        for name, versions in histories().items()
        for one in versions
        if (name, one.file) in served and raw_digest(one.data) not in digests
    ]
    assert missing == []


def test_a_replay_from_empty_stores_gives_the_same_content(story: tuple[Any, ...]) -> None:
    assert [one for one in story[3] if one.live != one.rebuilt] == []
