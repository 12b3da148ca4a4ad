"""The log itself: bytes on disk of an unchanged observation (goal: at most 200); the way of a told fact beside a bare one."""

import asyncio
import os
import random
import statistics
import time
from datetime import UTC, datetime
from pathlib import Path

from cardtrail.events import CardFetched, Fact, observation_id
from cardtrail.events.card_fetched import SignatureSummary
from cardtrail.events.subjects import ALL
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.names import FACTS
from cardtrail.services.bus.readers import TAIL, Reader
from cardtrail.services.bus.streams import Sizes
from tests.nats_server import fresh_bus

_AGENTS, _BATCH, _BLOCK = 5_000, 1_000, 8 << 20


def bench(facts: int = 40_000, turns: int = 300) -> dict[str, float]:
    """Bytes a fact in full blocks; milliseconds (99th percentile) from told to read, and from published to pulled by nats-py."""
    return asyncio.run(_measure(facts, turns))


def unchanged(agent: int) -> Fact:
    """An observation that says: as before."""
    data = CardFetched(
        agent=f"https://agent-{agent}.example.com/.well-known/agent-card.json",
        status=304,
        same_as=1_000 + agent,
        latency_ms=random.randint(5, 300),
        signature=SignatureSummary(outcome="verified"),
    )
    name = observation_id(time.time_ns() // 1_000_000, os.urandom(10))
    return Fact(id=name, source="fetcher", time=datetime.now(UTC), data=data)


async def _measure(facts: int, turns: int) -> dict[str, float]:
    async with fresh_bus(sizes=Sizes(facts=4 << 30), patience_s=30) as (bus, server):
        for first in range(0, facts, _BATCH):
            await bus.tell([unchanged((first + number) % _AGENTS) for number in range(_BATCH)])
        info = await bus.info()
        each = info.bytes / info.facts * _on_disk(server.directory)
        ours, bare = await _told_to_read(bus, info.last, turns), await _published_to_pulled(bus, turns)
    p99 = {name: 1_000 * statistics.quantiles(times, n=100)[98] for name, times in (("ours", ours), ("bare", bare))}
    return {
        "bytes_per_unchanged": round(each, 1),
        "ours_p99_ms": round(p99["ours"], 2),
        "bare_p99_ms": round(p99["bare"], 2),
        "ratio": round(p99["ours"] / p99["bare"], 2),
    }


def _on_disk(directory: Path) -> float:
    """Bytes on disk for each byte of messages; the last block is compressed only once it is full."""
    blocks = sorted((directory / "jetstream").rglob(f"{FACTS}/msgs/*.blk"), key=lambda path: int(path.stem))[:-1]
    return sum(path.stat().st_size for path in blocks) / (len(blocks) * _BLOCK)


async def _told_to_read(bus: Bus, position: int, turns: int) -> list[float]:
    reader = Reader(bus.connection, "bench", filter_subject=ALL, mode=TAIL)
    await reader.start(position)
    times = []
    for turn in range(turns):
        begun = time.perf_counter()
        telling = asyncio.ensure_future(bus.tell([unchanged(turn)]))
        batch = await reader.batch()
        times.append(time.perf_counter() - begun)
        await reader.ack(batch[-1])
        await telling
    await reader.close()
    return times


async def _published_to_pulled(bus: Bus, turns: int) -> list[float]:
    subscription = await bus.connection.js.pull_subscribe("cardtrail.ledger.>", durable="bare", stream=FACTS)
    times = []
    for turn in range(turns):
        begun = time.perf_counter()
        publishing = asyncio.ensure_future(bus.connection.js.publish("cardtrail.ledger.bench", str(turn).encode()))
        (message,) = await subscription.fetch(1)
        times.append(time.perf_counter() - begun)
        await message.ack()
        await publishing
    return times


if __name__ == "__main__":
    print(bench())
