"""A log of any length is sealed, proven and verified over a real broker, its head beside the root as RFC 9162 writes it.

CARDTRAIL_BIG=1 takes 200,000 facts about 500 agents.
"""

import asyncio
import json
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from cardtrail.events import Fact
from cardtrail.events.subjects import ALL
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.readers import REPLAY, Reader
from cardtrail.services.bus.streams import Sizes
from cardtrail.services.ledger.checkpoint import Checkpoint, read_checkpoint
from cardtrail.services.ledger.leaf import Leaf
from cardtrail.services.projector.seal import NAME, seal
from cardtrail.services.seal_settings import SealSettings
from cardtrail.services.service import Context
from cardtrail.services.settings import BrokerSettings, Settings
from tests.bench.generate import BIG, Generator
from tests.nats_server import fresh_bus
from tests.services.audit.plain_fold import plain_root
from tests.services.cli.program import cardtrail
from tests.streams import PATIENCE_S

COUNT, AGENTS = (200_000, 500) if BIG else (4_000, 24)
ROOM = Sizes(facts=2 << 30, bodies=64 << 20, reports=16 << 20)
AT_ONCE = 1_000


def test_every_fact_is_under_a_head_that_only_this_log_has(tmp_path: Path) -> None:
    made = cardtrail("seal", "--new-key", "seal.key", "--origin", "tracker.example/log", "--json", cwd=tmp_path)
    asyncio.run(sealed(tmp_path, made.json["verifier"]))


def test_whoever_waits_for_the_sealer_to_begin_is_told_though_the_log_is_quiet(tmp_path: Path) -> None:
    cardtrail("seal", "--new-key", "seal.key", "--json", cwd=tmp_path)

    async def run() -> None:
        async with fresh_bus(sizes=ROOM) as (bus, _), sealing(bus, tmp_path) as context:
            await asyncio.wait_for(context.watched(NAME).begun(), PATIENCE_S)

    asyncio.run(run())


async def sealed(home: Path, key: str) -> None:
    async with fresh_bus(sizes=ROOM) as (bus, server), sealing(bus, home):

        async def ask(*words: str, code: int = 0) -> Any:
            environ = {"NATS_URL": server.url, "CARDTRAIL_DATA": str(home)}
            done = await asyncio.to_thread(cardtrail, *words, "--json", cwd=home, **environ)
            assert done.code == code, done
            return done.json

        facts = (stored.fact for stored in Generator(AGENTS, seed=9).facts(COUNT))
        await tell(bus, islice(facts, COUNT // 2))
        early = head((await ask("seal"))["note"])
        shutil.copytree(home / "seal", home / "elsewhere")
        await tell(bus, facts)
        late = head((await ask("seal"))["note"])
        hashes = [leaf.hash() for leaf in await leaves(bus)]
        assert len(hashes) >= COUNT
        assert 0 < early.size < late.size
        for one in (early, late):
            assert one.root == plain_root(hashes[: one.size])
        for sequence in (1, late.through // 3, late.through):
            await ask("prove", str(sequence), "--older", "elsewhere", "-o", "fact.proof.json")
            told = (await ask("verify-log", "--proof", "fact.proof.json", "--key", key))["proof"]
            assert (told["holds"], told["sequence"], told["size"]) == (True, sequence, late.size)
            proof = json.loads((home / "fact.proof.json").read_text())
            (home / "moved.json").write_text(json.dumps(proof | {"index": (proof["index"] + 1) % late.size}))
            assert not (await ask("verify-log", "--proof", "moved.json", "--key", key, code=1))["proof"]["holds"]
        checked = (await ask("verify-log", "--checkpoints", "elsewhere", "--key", key))["checked"]
        assert {one["matches"] for one in checked["heads"]} == {True}


@asynccontextmanager
async def sealing(bus: Bus, home: Path) -> AsyncIterator[Context]:
    """The sealer at work; it signs when it is asked to, and now and then."""
    settings = Settings(
        broker=BrokerSettings(data=home), seal=SealSettings(key=home / "seal.key", facts=COUNT // 3, every=3600)
    )
    context = Context(name="projector", settings=settings, bus=bus, folder=home / "projector", stop=asyncio.Event())
    task = asyncio.create_task(seal(context))
    try:
        yield context
    finally:
        context.stop.set()
        await task
        assert context.alarms == []


async def tell(bus: Bus, facts: Iterator[Fact]) -> None:
    while batch := list(islice(facts, AT_ONCE)):
        await bus.tell(batch)


def head(note: str) -> Checkpoint:
    return read_checkpoint(note, ())[0]


async def leaves(bus: Bus) -> list[Leaf]:
    """Every message of the log as the broker has it, read without the sealer's way."""
    found: list[Leaf] = []
    last = (await bus.info()).last
    reader = Reader(bus.connection, "plain", filter_subject=ALL, mode=REPLAY)
    await reader.start(0)
    while not found or found[-1].sequence < last:
        found += [Leaf(one.sequence, one.stored_ns, one.subject, one.data) for one in await reader.batch()]
    await reader.close()
    return found
