"""While the broker is away facts wait on disk in order, survive kill -9, and are told in that order under the same ids."""

import asyncio
import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.errors import TooLarge
from cardtrail.services.bus.outbox import Outbox
from cardtrail.services.bus.outbox_file import OutboxFailed, OutboxFile
from cardtrail.services.bus.publish import Message
from tests.nats_server import SMALL, fresh_bus
from tests.services.bus.facts import fetched
from tests.streams import PATIENCE_S

AWAY_S = 0.2  # nobody need wait longer for a broker that was killed
WRITER = """
import sys
from pathlib import Path
from cardtrail.services.bus.outbox_file import OutboxFile
from cardtrail.services.bus.publish import Message
file = OutboxFile(Path(sys.argv[1]), 1 << 30)
for number in range(1_000_000):
    file.keep([Message(subject="s", data=str(number).encode())])
    print(number, flush=True)
"""


async def numbers(bus: Bus, count: int) -> list[int]:
    stored = [await bus.at(sequence) for sequence in range(1, count + 1)]
    return [one.fact.data.latency_ms for one in stored if one is not None]  # type: ignore[attr-defined]


def test_a_broker_that_is_there_is_told_directly(tmp_path: Path) -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _), Outbox(bus, tmp_path / "box" / "out.db") as box:
            assert await box.tell([fetched(), fetched()]) == [1, 2]
            assert box.standing().model_dump() == {"waiting": 0, "refused": 0}

    asyncio.run(run())


def test_an_outage_keeps_facts_and_bodies_in_order_and_drains_them_in_order(tmp_path: Path) -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, running), Outbox(bus, tmp_path / "out.db") as box:
            await box.tell([fetched("a", 1)])
            bus.patience_s = AWAY_S
            running.kill()
            for number in range(2, 21):
                assert await box.tell([fetched("a", number)]) is None
            digest = await box.put_body("a", "public", b"body")
            assert box.standing().waiting == 20
            running.revive()
            bus.patience_s = PATIENCE_S
            assert await box.tell([fetched("a", 21)]) is None, "it must queue up behind those that wait"
            await asyncio.wait_for(box.emptied(), PATIENCE_S)
            assert await numbers(bus, 21) == list(range(1, 22))
            assert await bus.get_body("a", "public", digest) == b"body"
            assert await box.tell([fetched("a", 22)]) == [22]

    asyncio.run(run())


def test_what_waits_is_told_by_the_next_process_and_a_repeated_drain_stores_nothing_twice(tmp_path: Path) -> None:
    async def run() -> None:
        async with fresh_bus(patience_s=AWAY_S) as (bus, running):
            running.kill()
            facts = [fetched("a", number) for number in range(1, 6)]
            async with Outbox(bus, tmp_path / "out.db") as box:
                await box.tell(facts)
            copy = (tmp_path / "out.db").read_bytes()
            running.revive()
            bus.patience_s = PATIENCE_S
            await bus.connection.connected.wait()
            async with Outbox(bus, tmp_path / "out.db") as box:
                await asyncio.wait_for(box.emptied(), PATIENCE_S)
            (tmp_path / "again.db").write_bytes(copy)
            async with Outbox(bus, tmp_path / "again.db") as box:
                await asyncio.wait_for(box.emptied(), PATIENCE_S)
            assert await numbers(bus, 6) == [1, 2, 3, 4, 5]

    asyncio.run(run())


def test_a_message_that_is_refused_for_ever_is_set_aside_and_the_rest_goes_on(tmp_path: Path) -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, running):
            file = OutboxFile(tmp_path / "out.db", 1 << 20)
            file.keep([bus.message(fetched("a", 1)), Message(subject="cardtrail.events.no space", data=b"bad")])
            file.keep([bus.message(fetched("a", 2))])
            file.close()
            async with Outbox(bus, tmp_path / "out.db") as box:
                await asyncio.wait_for(box.emptied(), PATIENCE_S)
                assert box.standing().refused == 1
            assert await numbers(bus, 2) == [1, 2]
            aside = json.loads((tmp_path / "out.db.refused.jsonl").read_text())
            assert (aside["code"], bytes.fromhex(aside["data"])) == ("broker-refused", b"bad")
            assert running.pid

    asyncio.run(run())


def test_two_processes_of_one_folder_tell_everything_once_and_neither_stands_still(tmp_path: Path) -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, server), Bus(server.url) as other:
            path = tmp_path / "out.db"
            async with Outbox(bus, path) as one, Outbox(other, path) as two:
                bus.patience_s = other.patience_s = AWAY_S
                server.kill()
                for number in range(1, 7):
                    assert await (one, two)[number % 2].tell([fetched("a", number)]) is None
                server.revive()
                bus.patience_s = other.patience_s = PATIENCE_S
                await asyncio.wait_for(asyncio.gather(one.emptied(), two.emptied()), PATIENCE_S)
                await two.tell([fetched("a", 7)])
                assert (one.standing().waiting, two.standing().waiting) == (0, 0)
            assert sorted(await numbers(bus, 7)) == list(range(1, 8))
            assert (await bus.info()).last == 7

    asyncio.run(run())


def test_a_full_log_fills_the_outbox_and_loses_nothing(tmp_path: Path) -> None:
    async def run() -> None:
        tight = SMALL.model_copy(update={"facts": 1 << 20})
        async with fresh_bus(sizes=tight) as (bus, _), Outbox(bus, tmp_path / "out.db") as box:
            for number in range(1, 71):
                await box.tell([fetched("a", number, detail="x" * 20_000)])
            assert box.standing().waiting > 10
            config = (await bus.connection.js.stream_info("CARDTRAIL_FACTS")).config
            await bus.connection.js.update_stream(config, max_bytes=64 << 20)
            await asyncio.wait_for(box.emptied(), PATIENCE_S)
            assert await numbers(bus, 70) == list(range(1, 71))

    asyncio.run(run())


def test_a_fact_that_can_never_be_told_is_refused_at_once(tmp_path: Path) -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _), Outbox(bus, tmp_path / "out.db") as box:
            with pytest.raises(TooLarge):
                await box.tell([fetched(detail="x" * 300_000)])

    asyncio.run(run())


def test_every_message_that_was_kept_survives_kill_9_in_the_middle_of_writing(tmp_path: Path) -> None:
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(tmp_path / "out.db")], stdout=subprocess.PIPE, text=True
    )
    assert writer.stdout is not None
    with writer.stdout as said:
        for line in said:
            if int(line) == 50:
                os.kill(writer.pid, signal.SIGKILL)
                break
        kept = 50 + sum(1 for _ in said)
    writer.wait()
    file = OutboxFile(tmp_path / "out.db", 1 << 30)
    found = [int(message.data) for _, message in file.head(1_000_000)]
    file.close()
    assert found == list(range(len(found)))
    assert len(found) - 1 >= kept


def test_an_outbox_at_its_limit_says_so_and_keeps_what_it_has(tmp_path: Path) -> None:
    file = OutboxFile(tmp_path / "out.db", 200_000)

    def fill() -> None:
        for _ in range(1000):
            file.keep([Message(subject="s", data=b"x" * 10_000)])

    with pytest.raises(OutboxFailed):
        fill()
    kept = file.waiting()
    file.close()
    assert 0 < kept < 1000
    assert OutboxFile(tmp_path / "out.db", 200_000).waiting() == kept


def test_a_place_that_cannot_be_written_is_an_error_of_ours(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutboxFailed):
        OutboxFile(tmp_path / "file" / "out.db", 1)


def torn(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[4096:] = b"\x5a" * (len(data) - 4096)
    path.write_bytes(data)


def noise(path: Path) -> None:
    path.write_bytes(b"not a database at all" * 100)


def other(path: Path) -> None:
    path.unlink()
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE waiting (something)")
    database.close()


@pytest.mark.parametrize("damage", [torn, noise, other])
def test_a_damaged_outbox_is_set_aside_and_counted_and_the_next_facts_are_kept(
    tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    path = tmp_path / "out.db"
    message = Message(subject="cardtrail.events.x", data=b"x" * 2_000)
    first = OutboxFile(path, 1 << 20)
    first.keep([message] * 20)
    first.close()
    damage(path)
    size = path.stat().st_size
    file = OutboxFile(path, 1 << 20)
    assert (file.waiting(), file.count_refused()) == (0, 1)
    assert (tmp_path / "out.db.damaged-1").stat().st_size == size
    file.keep([message])
    assert file.waiting() == 1
    file.close()
    assert OutboxFile(path, 1 << 20).count_refused() == 1
