"""What an unchanged observation costs on disk in the facts stream, compression and all (goal: ≤ 200 bytes)."""

import asyncio
import json
import secrets
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from cardtrail.events import CardFetched, Fact, observation_id
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.embedded import EmbeddedServer
from cardtrail.services.bus.streams import Sizes

AGENTS = 500
_BATCH = 1_000
_CLOSED = 2


def bench(closed: int = _CLOSED) -> dict[str, float]:
    """Bytes per observation in `closed` blocks of the stream: the server compresses a block once the next has begun."""
    return asyncio.run(_measure(closed))


async def _measure(closed: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder, EmbeddedServer(Path(folder)) as server:
        async with Bus(server.url, streams=Sizes(facts=1 << 30, bodies=1 << 28)) as bus:
            told = 0
            while len(_blocks(Path(folder))) <= closed:
                await bus.tell([_unchanged(number) for number in range(told, told + _BATCH)])
                told += _BATCH
        used = sum(block.stat().st_size for block in _blocks(Path(folder))[:closed])
    return {"facts": told, "bytes_each": round(used / told, 1)}


def _blocks(folder: Path) -> list[Path]:
    found = [block for block in folder.rglob("*.blk") if "CARDTRAIL_FACTS" in str(block)]
    return sorted(found, key=lambda block: int(block.stem))


def _unchanged(number: int) -> Fact:
    now = time.time_ns() // 1_000_000 + number
    event = CardFetched(
        agent=f"agent-{number % AGENTS}.example", status=304, same_as=number // 3 + 1, latency_ms=number % 90
    )
    identifier = observation_id(now, secrets.token_bytes(10))
    return Fact(id=identifier, source="cardtrail/fetcher", time=datetime.fromtimestamp(now / 1000, UTC), data=event)


if __name__ == "__main__":
    print(json.dumps(bench()))
