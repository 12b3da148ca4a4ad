"""Every service may be started twice: the second one touches nothing, says so, and has the place once the first is gone."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from cardtrail.services.bus.bus import Bus
from cardtrail.services.ledger.note import signer
from cardtrail.services.seal_files import leaves
from cardtrail.services.seal_settings import SealSettings
from cardtrail.services.secret_file import new_secret_file
from cardtrail.services.service import Context, app, waits_for_its_place
from cardtrail.services.settings import BrokerSettings, Settings
from tests.nats_server import Server, fresh_bus
from tests.projections.facts import full
from tests.projections.log import Log

PLACES = {
    "compiler": ("compiler",),
    "decider": ("decider",),
    "fetcher": ("dispatch",),
    "notifier": ("notices",),
    "observer": ("known",),
    "prober": ("probing",),
    "projector": ("duckdb", "seal", "routes/public"),
}


def settings(folder: Path) -> Settings:
    key = folder / "seal.key"
    if not key.exists():
        new_secret_file(key, signer("tracker.example/log", bytes(range(32))).secret() + "\n")
    return Settings(broker=BrokerSettings(data=folder), seal=SealSettings(key=key, facts=3))


@contextlib.asynccontextmanager
async def instance(server: Server, name: str, folder: Path) -> AsyncIterator[tuple[Context, asyncio.Task[None]]]:
    """A service, killed (not asked to stop) at the end."""
    async with Bus(server.url, name=name) as bus:
        context = Context(name=name, settings=settings(folder), bus=bus, folder=folder / name, stop=asyncio.Event())
        context.folder.mkdir(exist_ok=True)
        task = asyncio.create_task(app(name)(context))
        try:
            yield context, task
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


async def at_work(context: Context) -> None:
    for place in PLACES[context.name]:
        await asyncio.wait_for(context.watched(place).begun(), 20)


async def waiting(caplog: pytest.LogCaptureFixture) -> None:
    for _ in range(2_000):
        if "waiting for its place" in caplog.text:
            return
        await asyncio.sleep(0.01)
    raise AssertionError(caplog.text)


@pytest.mark.parametrize("name", PLACES)
def test_it_waits_while_the_first_is_at_work_and_goes_on_when_that_is_gone(
    name: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "cardtrail.bus")

    async def story() -> None:
        log = Log()
        async with fresh_bus() as (bus, server), contextlib.AsyncExitStack() as later:
            async with instance(server, name, tmp_path) as (first, working):
                await at_work(first)
                second, waits = await later.enter_async_context(instance(server, name, tmp_path))
                await waiting(caplog)
                last = (await bus.tell([full(log, f"d{number}").fact for number in range(5)]))[-1]
                await asyncio.wait_for(first.watched(PLACES[name][0]).reaches(last), 20)
                assert not working.done()
                assert not waits.done()
                assert waits_for_its_place(second)
                assert not waits_for_its_place(first)
                assert (first.alarms, second.alarms) == ([], [])
                restarts = {place: seen.reader.restarts for place, seen in first.progress.items() if seen.reader}
                assert set(restarts.values()) == {0}
            await at_work(second)
            assert not waits.done()

    asyncio.run(story())
    recorded = [sequence for sequence, _ in leaves(tmp_path / "seal")]
    assert recorded == sorted(set(recorded))
