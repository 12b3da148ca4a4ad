"""`replay --parked`: running services try what they hold back again, and the answer says what is left and where."""

import asyncio
from pathlib import Path

from cardtrail.events import CardFetched, Stored
from cardtrail.projections.projection import Rows
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.questions import answer
from cardtrail.services.bus.runner import Progress, run_fold
from cardtrail.services.bus.stores import MemoryStore
from cardtrail.services.held_back import AGAIN, tried_again
from cardtrail.services.service import SERVICES
from tests.nats_server import SMALL, server
from tests.services.bus.facts import Numbers, fetched
from tests.services.cli.program import Done, cardtrail
from tests.streams import PATIENCE_S


class Mendable(Numbers):
    """Cannot apply poison before its cause is mended."""

    def __init__(self) -> None:
        self.mended = False

    def apply(self, stored: Stored, rows: Rows) -> None:
        event = stored.fact.data
        assert isinstance(event, CardFetched)
        told = event.model_copy(update={"location": ""}) if self.mended else event
        super().apply(stored.model_copy(update={"fact": stored.fact.model_copy(update={"data": told})}), rows)


def test_what_is_held_back_is_applied_once_its_cause_is_mended(tmp_path: Path) -> None:
    async def run(url: str) -> None:
        async with Bus(url, streams=SMALL) as bus:
            await bus.tell([fetched("p", 1, detail="poison"), fetched("p", 2), fetched("ok", 3)])
            stop, fold, seen, store = asyncio.Event(), Mendable(), Progress(), MemoryStore()
            running = asyncio.create_task(run_fold(bus, fold, store, stop=stop, progress=seen))
            await asyncio.wait_for(seen.reaches(3), PATIENCE_S)
            held = {"compiler": {"numbers": seen}}
            answering = [asyncio.create_task(_service(bus, name, held.get(name, {}), stop)) for name in SERVICES[:-1]]
            await heard(bus)
            done = await _asked(url, tmp_path)
            line = {"service": "compiler", "fold": "numbers", "before": 2, "now": 2, "tried": True}
            assert (done.code, done.json["folds"], done.json["silent"]) == (1, [line], [SERVICES[-1]])
            fold.mended = True
            answering.append(asyncio.create_task(_service(bus, SERVICES[-1], {}, stop)))
            await heard(bus)
            text = await asyncio.to_thread(cardtrail, "replay", "--parked", cwd=tmp_path, NATS_URL=url)
            assert text.code == 0
            assert "compiler numbers" in text.out
            assert "2 facts held back before, none now" in text.out
            assert store.tables["numbers"][("p",)] == {"seen": [1, 2]}
            done = await _asked(url, tmp_path)
            assert (done.code, done.json["folds"]) == (0, [])
            stop.set()
            await asyncio.gather(running, *answering)

    with server() as running:
        asyncio.run(run(running.url))


async def _service(bus: Bus, name: str, held: dict[str, Progress], stop: asyncio.Event) -> None:
    await answer(bus, f"{AGAIN}.{name}", lambda _: tried_again(name, held), stop)


async def heard(bus: Bus) -> None:
    """Returns once the broker knows who listens: the first round lets them begin, the second comes behind them."""
    for _ in range(2):
        await bus.connection.nc.flush()


async def _asked(url: str, folder: Path) -> Done:
    return await asyncio.to_thread(cardtrail, "replay", "--parked", "--json", cwd=folder, NATS_URL=url)
