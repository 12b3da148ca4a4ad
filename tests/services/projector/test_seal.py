"""The sealer on a real broker: every stored message a leaf, heads signed and told, its files the only memory it needs."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from cardtrail.events import CheckpointSigned
from cardtrail.events.subjects import ALL
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.names import FACTS
from cardtrail.services.bus.publish import Message
from cardtrail.services.bus.questions import ask
from cardtrail.services.bus.snapshot import passage
from cardtrail.services.ledger.checkpoint import Checkpoint, read_checkpoint
from cardtrail.services.ledger.leaf import Leaf
from cardtrail.services.ledger.note import signer
from cardtrail.services.ledger.sealing import OWN, Sealing
from cardtrail.services.projector.seal import NAME, QUESTION, seal
from cardtrail.services.seal_files import LEAVES, heads, leaves
from cardtrail.services.seal_settings import SealSettings
from cardtrail.services.secret_file import new_secret_file
from cardtrail.services.service import Context
from cardtrail.services.settings import BrokerSettings, Settings
from tests.nats_server import Server, fresh_bus
from tests.projections.facts import full
from tests.projections.log import Log
from tests.streams import PATIENCE_S

KEY = signer("tracker.example/log", bytes(range(32)))


class Sealed:
    """A tracker of which only the sealer runs."""

    def __init__(self, folder: Path, *, facts: int = 5, every: int = 3_600) -> None:
        self.folder, self.log = folder, Log()
        key = folder / "seal.key"
        if not key.exists():
            new_secret_file(key, KEY.secret())
        self.settings = Settings(
            broker=BrokerSettings(data=folder), seal=SealSettings(key=key, facts=facts, every=every)
        )

    @asynccontextmanager
    async def at_work(self, bus: Bus) -> AsyncIterator[Context]:
        context = Context("projector", self.settings, bus, self.folder, asyncio.Event())
        run = asyncio.create_task(seal(context))
        try:
            yield context
        finally:
            context.stop.set()
            await run

    async def tell(self, bus: Bus, count: int) -> int:
        """Tell facts; the sequence of the last."""
        told = [full(self.log, f"d{len(self.log.facts)}").fact for _ in range(count)]
        return (await bus.tell(told))[-1]

    def kept(self) -> list[Checkpoint]:
        return [read_checkpoint(note, [KEY.verifier])[0] for _, note in heads(self.folder / "seal")]


async def plain(bus: Bus, through: int) -> Checkpoint:
    """The head over the log as it lies there."""
    made = Sealing()
    async for one in passage(bus.connection, FACTS, ALL, through=through):
        made.take(Leaf(one.sequence, one.stored_ns, one.subject, one.data))
    return made.head(KEY.name)


async def heads_told(bus: Bus, count: int) -> list[CheckpointSigned]:
    """The heads on the log, once there are so many."""
    found: list[CheckpointSigned] = []
    while len(found) < count:
        found = []
        async for message in passage(bus.connection, FACTS, OWN):
            stored = await bus.at(message.sequence)
            assert stored is not None
            assert isinstance(stored.fact.data, CheckpointSigned)
            found.append(stored.fact.data)
        await asyncio.sleep(0.01)
    return found


def test_a_head_is_signed_over_everything_told_and_kept(tmp_path: Path) -> None:
    async def story() -> None:
        async with fresh_bus() as (bus, _):
            tracker = Sealed(tmp_path, facts=5)
            async with tracker.at_work(bus):
                await tracker.tell(bus, 5)
                (told,) = await heads_told(bus, 1)
            head, signed = read_checkpoint(told.note, [KEY.verifier])
            assert signed == (KEY.verifier,)
            assert (told.size, told.through, told.root) == (head.size, head.through, head.root.hex())
            assert head == await plain(bus, head.through) == tracker.kept()[-1]

    asyncio.run(story())


def test_a_head_over_nothing_but_heads_is_never_signed(tmp_path: Path) -> None:
    async def story() -> None:
        async with fresh_bus() as (bus, _):
            tracker = Sealed(tmp_path, facts=2)
            async with tracker.at_work(bus) as context:
                await tracker.tell(bus, 2)
                await heads_told(bus, 1)
                await context.watched(NAME).reaches(3)
                assert (await bus.info()).last == 3
                await tracker.tell(bus, 2)
                await heads_told(bus, 2)
            assert [head.size for head in tracker.kept()] == [2, 5]

    asyncio.run(story())


def test_whoever_asks_gets_a_head_over_all_that_was_told(tmp_path: Path) -> None:
    async def story() -> None:
        async with fresh_bus() as (bus, _):
            tracker = Sealed(tmp_path, facts=1_000)
            async with tracker.at_work(bus) as context:
                last = await tracker.tell(bus, 7)
                await context.watched(NAME).reaches(last)
                told = await ask(bus, QUESTION, {"through": last}, within_s=PATIENCE_S)
            assert read_checkpoint(told["note"], [KEY.verifier])[0] == await plain(bus, last)

    asyncio.run(story())


def test_what_this_release_cannot_read_is_a_leaf_like_any_other(tmp_path: Path) -> None:
    async def story() -> None:
        async with fresh_bus() as (bus, _):
            tracker = Sealed(tmp_path, facts=3)
            async with tracker.at_work(bus):
                await bus.publish([Message(subject="cardtrail.ledger.of-tomorrow", data=b"\xff no fact")])
                await tracker.tell(bus, 2)
                await heads_told(bus, 1)
            assert tracker.kept()[-1] == await plain(bus, 3)

    asyncio.run(story())


def test_it_goes_on_where_its_record_ends_even_where_that_was_torn(tmp_path: Path) -> None:
    async def story() -> None:
        async with fresh_bus() as (bus, server):
            tracker = Sealed(tmp_path, facts=4)
            async with tracker.at_work(bus):
                await tracker.tell(bus, 6)
                await heads_told(bus, 1)
            record = tmp_path / "seal" / LEAVES
            record.write_bytes(record.read_bytes()[:-17])
            await broken_off(server, bus)
            async with tracker.at_work(bus):
                await tracker.tell(bus, 6)
                await heads_told(bus, 2)
            last = tracker.kept()[-1]
            assert last == await plain(bus, last.through)
            assert [sequence for sequence, _ in leaves(tmp_path / "seal")][: last.size] == list(range(1, last.size + 1))

    asyncio.run(story())


async def broken_off(server: Server, bus: Bus) -> None:
    """The broker dies and comes back; what was told is still there."""
    await asyncio.to_thread(server.kill)
    await asyncio.to_thread(server.revive)
    await bus.connection.connected.wait()


async def said(caplog: pytest.LogCaptureFixture, words: str) -> None:
    """Returns once the log of the process says so."""
    async with asyncio.timeout(PATIENCE_S):
        while words not in caplog.text:  # noqa: ASYNC110 — a log has no event
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("harm", ["record", "log", "head"])
def test_a_record_or_a_log_that_is_another_is_never_signed_over(
    harm: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def story() -> None:
        async with fresh_bus() as (bus, _):
            tracker = Sealed(tmp_path, facts=3)
            async with tracker.at_work(bus):
                await tracker.tell(bus, 6)
                await heads_told(bus, 1)
        record = tmp_path / "seal" / LEAVES
        if harm == "record":
            data = record.read_bytes()
            record.write_bytes(data[:10] + bytes(30) + data[40:])
        if harm == "head":
            max((tmp_path / "seal").glob("*.checkpoint")).write_text("")
        before = list(heads(tmp_path / "seal"))
        async with fresh_bus() as (bus, _):  # with "log", an emptier one than was sealed
            async with tracker.at_work(bus) as context:
                await tracker.tell(bus, 3)
                await said(caplog, "nothing is sealed any more")
                assert [alarm.partition(":")[0] for alarm in context.alarms] == ["nothing is sealed any more"]
            assert (await bus.info()).last == 3
        assert list(heads(tmp_path / "seal")) == before

    asyncio.run(story())


def test_heads_asked_for_while_one_is_due_are_signed_one_after_the_other(tmp_path: Path) -> None:
    async def story() -> None:
        async with fresh_bus() as (bus, _):
            tracker = Sealed(tmp_path, facts=1)
            async with tracker.at_work(bus) as context:
                for _ in range(10):
                    last = await tracker.tell(bus, 3)
                    await context.watched(NAME).reaches(last)
                    questions = [ask(bus, QUESTION, {"through": last}, within_s=PATIENCE_S) for _ in range(6)]
                    notes = [str(answer["note"]) for answer in await asyncio.gather(*questions)]
                    assert all(read_checkpoint(note, [KEY.verifier])[0].through >= last for note in notes)
            assert context.alarms == []
            sizes = [head.size for head in tracker.kept()]
            assert sizes == sorted(set(sizes))

    asyncio.run(story())
