"""kill -9 of a process in the middle of its work: the next one goes on from the store, and no fact counts twice."""

import asyncio
import signal
import subprocess
import sys
from pathlib import Path

from cardtrail.services.bus.kv_store import KvStore
from cardtrail.services.bus.progress import Progress
from cardtrail.services.bus.runner import run_deriver, run_fold
from tests.nats_server import fresh_bus
from tests.services.bus.facts import Counts, Echo, fetched
from tests.streams import PATIENCE_S

ROOT = Path(__file__).parents[2]
CHILD = """
import asyncio, sys
sys.path.insert(0, sys.argv[1])
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.kv_store import KvStore
from cardtrail.services.bus.readers import Mode
from cardtrail.services.bus.progress import Progress
from cardtrail.services.bus.runner import run_deriver, run_fold
from tests.services.bus.facts import Counts, Echo
SMALL = Mode(window=40, most=20)

async def main():
    async with Bus(sys.argv[2]) as bus:
        progress = Progress()
        runs = [
            run_fold(bus, Counts(), KvStore(bus, "counts", "public"), mode=SMALL, progress=progress),
            run_deriver(bus, Echo(), KvStore(bus, "echo", "public"), mode=SMALL),
        ]
        async def report():
            while True:
                progress.moved.clear()
                await progress.moved.wait()
                print(progress.position, flush=True)
        await asyncio.gather(report(), *runs)

asyncio.run(main())
"""


def test_killed_folds_and_derivers_go_on_where_their_stores_are() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, broker):
            await bus.tell([fetched(f"agent-{number % 5}", number) for number in range(1, 1001)])
            for _ in range(4):
                child = await asyncio.create_subprocess_exec(
                    sys.executable, "-c", CHILD, str(ROOT), broker.url, stdout=subprocess.PIPE
                )
                assert child.stdout is not None
                for _ in range(4):
                    assert await asyncio.wait_for(child.stdout.readline(), PATIENCE_S)
                child.send_signal(signal.SIGKILL)
                await child.communicate()
            counts, echo = KvStore(bus, "counts", "public"), KvStore(bus, "echo", "public")
            stop, seen = asyncio.Event(), [Progress(), Progress()]
            runs = asyncio.gather(
                run_fold(bus, Counts(), counts, stop=stop, progress=seen[0]),
                run_deriver(bus, Echo(), echo, stop=stop, progress=seen[1]),
            )
            await asyncio.wait_for(asyncio.gather(*(one.reaches(2000) for one in seen)), PATIENCE_S)
            stop.set()
            await runs
            assert (await bus.info()).last == 2000, "derived facts were told twice"
            rows, _ = await counts.load()
            for agent in range(5):
                numbers = [number for number in range(1, 1001) if number % 5 == agent]
                assert rows.table("counts")[(f"agent-{agent}",)] == {"count": len(numbers), "sum": sum(numbers)}
            assert sum(row["count"] for row in (await echo.load())[0].table("echo").values()) == 1000

    asyncio.run(run())


def test_sigterm_under_a_backlog_ends_within_seconds() -> None:
    async def run() -> None:
        async with fresh_bus(holding=(fetched(f"agent-{number % 50}") for number in range(10_000))) as (_, broker):
            child = await asyncio.create_subprocess_exec(
                sys.executable, "-c", CHILD, str(ROOT), broker.url, stdout=subprocess.PIPE
            )
            assert child.stdout is not None
            assert await asyncio.wait_for(child.stdout.readline(), PATIENCE_S)
            child.terminate()
            await asyncio.wait_for(child.communicate(), PATIENCE_S)

    asyncio.run(run())
