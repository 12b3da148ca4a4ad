"""Facts into DuckDB history, exactly once, and a rebuild of everything, beside a bare nats-py pull and ack of the same messages.

Goal: at least 80 % of the bare rate, both, and memory flat (400 MiB at most) for a million facts. Each measurement is a process
of its own, so that none pays for what another left behind; the sides take turns, and the median of each counts.

`python -m tests.bench.bench_history 1000000` measures a million facts, with CPU time and peak memory of each process.
"""

import asyncio
import json
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import nats

from cardtrail.projections import PROJECTIONS
from cardtrail.projections.agent_history import AgentHistory
from cardtrail.projections.store import DuckStore
from cardtrail.projections.together import Together
from cardtrail.services.archive import archive_fold
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.embedded import EmbeddedServer
from cardtrail.services.bus.names import FACTS
from cardtrail.services.bus.progress import Progress
from cardtrail.services.bus.readers import BULK, REPLAY, Mode
from cardtrail.services.bus.streams import Sizes
from cardtrail.services.long_life import long_life
from cardtrail.services.rebuild import fold_until
from tests.bench.generate import Generator

_BATCH = 1000
_SIDES = ("bare", "history", "rebuild")
Measured = dict[str, float]


async def bare(url: str, facts: int, home: Path) -> float:
    """Seconds of nats-py's own pull subscription, each message acknowledged."""
    connection = await nats.connect(url)
    durable = f"bare-{home.name}"
    subscription = await connection.jetstream().pull_subscribe("cardtrail.>", durable=durable, stream=FACTS)
    begun, taken = time.perf_counter(), 0
    while taken < facts:
        for message in await subscription.fetch(_BATCH, timeout=5):
            await message.ack()
            taken += 1
    await connection.flush()
    spent = time.perf_counter() - begun
    await connection.close()
    return spent


async def history(url: str, facts: int, home: Path) -> float:
    """Seconds of the projector's way into a store that holds every fact as it was told."""
    fold = Together("history", [each for each in PROJECTIONS if isinstance(each.fold, AgentHistory)])
    return await _projected(url, facts, home, fold, BULK)


async def rebuild(url: str, facts: int, home: Path) -> float:
    """Seconds until a new generation of the archive stands in force, grown from nothing."""
    return await _projected(url, facts, home, archive_fold(), REPLAY)


async def _projected(url: str, facts: int, home: Path, fold: Together, mode: Mode) -> float:
    async with Bus(url) as bus:
        store = DuckStore(home, fold.tables)
        begun = time.perf_counter()
        await fold_until(bus, fold, store, facts, Progress(), kept_in=home.name, mode=mode)
        await store.promote()
        spent = time.perf_counter() - begun
        await store.close()
    return spent


async def fill(url: str, facts: int, agents: int) -> None:
    """Tell a log of so many facts."""
    async with Bus(url, streams=Sizes(facts=4 << 30, bodies=1 << 30)) as bus:
        generator = Generator(agents)
        for _ in range(0, facts, _BATCH):
            await bus.tell([stored.fact for stored in generator.facts(_BATCH)])


async def bench(facts: int = 60_000, agents: int = 500, rounds: int = 3) -> Measured:
    """Medians of each side: facts a second, microseconds of CPU a fact (`…_cpu_us`), peak memory in MiB (`…_mib`)."""
    found: dict[str, list[Measured]] = {side: [] for side in _SIDES}
    with tempfile.TemporaryDirectory() as folder, EmbeddedServer(Path(folder) / "nats") as server:
        await _child("fill", server.url, str(facts), str(agents))
        for count in range(rounds):
            for side in _SIDES[count % 3 :] + _SIDES[: count % 3]:
                found[side].append(await _child(side, server.url, str(facts), f"{folder}/{side}-{count}"))
    told: Measured = {}
    for side, measured in found.items():
        told[side] = round(statistics.median(one["per_s"] for one in measured))
        for what in ("cpu_us", "mib"):
            told[f"{side}_{what}"] = round(statistics.median(one[what] for one in measured), 1)
    return told


async def _child(*arguments: str) -> Measured:
    command = (sys.executable, "-m", "tests.bench.bench_history", *arguments)
    child = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    out, _ = await child.communicate()
    if child.returncode:
        raise RuntimeError(f"{arguments[0]} ended with {child.returncode}")
    return dict(json.loads(out or b"{}"))


def _measure(side: str, url: str, facts: int, home: Path) -> Measured:
    """One side in this process, which exists for that alone."""
    sides: dict[str, Callable[[str, int, Path], Awaitable[float]]] = {
        "bare": bare,
        "history": history,
        "rebuild": rebuild,
    }

    async def run() -> tuple[float, float]:
        before = time.process_time()
        with long_life():
            spent = await sides[side](url, facts, home)
        return spent, time.process_time() - before

    spent, worked = asyncio.run(run())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"per_s": facts / spent, "cpu_us": worked / facts * 1e6, "mib": peak}


def main(arguments: list[str]) -> None:
    """A number of facts (and agents, and rounds) measures all; the rest is how the processes are asked."""
    if arguments and arguments[0] in _SIDES:
        side, url, facts, home = arguments
        print(json.dumps(_measure(side, url, int(facts), Path(home))))
    elif arguments and arguments[0] == "fill":
        asyncio.run(fill(arguments[1], *map(int, arguments[2:])))
    else:
        print(json.dumps(asyncio.run(bench(*map(int, arguments))), indent=2))


if __name__ == "__main__":
    main(sys.argv[1:])
