"""Every service may be started twice: the second one touches nothing, says so, and has the place once the first is gone."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Iterator
from contextvars import ContextVar
from pathlib import Path

import pytest

from cardtrail.services.bus.alone import ended
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.names import FACTS
from cardtrail.services.ledger.note import signer
from cardtrail.services.seal_files import leaves
from cardtrail.services.seal_settings import SealSettings
from cardtrail.services.secret_file import new_secret_file
from cardtrail.services.service import Context, app, waits_for_its_place
from cardtrail.services.settings import BrokerSettings, Settings
from tests.nats_server import Server, fresh_bus
from tests.projections.facts import full
from tests.projections.log import Log
from tests.streams import PATIENCE_S

PLACES = {
    "compiler": ("compiler",),
    "decider": ("decider",),
    "fetcher": ("dispatch",),
    "notifier": ("notices",),
    "observer": ("known",),
    "prober": ("probing",),
    "projector": ("duckdb", "seal", "routes/public"),
}
STORY: ContextVar[str] = ContextVar("story")


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
            await ended(task)


async def at_work(context: Context) -> None:
    for place in PLACES[context.name]:
        await asyncio.wait_for(context.watched(place).begun(), PATIENCE_S)


class Said(logging.Handler):
    """What instances say: `waiting` is set when one waits for its place, `disturbed` are the readers that were interfered with.

    A heartbeat that a busy machine was late with is nobody's doing.
    """

    def __init__(self, name: str) -> None:
        super().__init__()
        self._story = name
        self.waiting, self.disturbed = asyncio.Event(), list[str]()

    def emit(self, record: logging.LogRecord) -> None:
        line = record.getMessage()
        if STORY.get("") != self._story:
            return
        if "waiting for its place" in line:
            self.waiting.set()
        if "starting again" in line and not line.endswith("no heartbeat"):
            self.disturbed.append(line)


@contextlib.contextmanager
def heard(name: str) -> Iterator[Said]:
    """What is said from now on by what this task begins."""
    logger, ear = logging.getLogger("cardtrail.bus"), Said(name)
    STORY.set(name)
    logger.addHandler(ear)
    try:
        yield ear
    finally:
        logger.removeHandler(ear)


async def owners(bus: Bus) -> dict[str, str]:
    """Whose each reader of the log is that keeps its name."""
    infos = [one.config for one in await bus.connection.js.consumers_info(FACTS) if one.config.durable_name]
    return {str(one.durable_name): str(one.metadata) for one in infos}


async def story(name: str, folder: Path) -> None:
    """A second instance beside the first, then alone."""
    log = Log()
    async with fresh_bus() as (bus, server), contextlib.AsyncExitStack() as later:
        said = later.enter_context(heard(name))
        async with instance(server, name, folder) as (first, working):
            await at_work(first)
            held = await owners(bus)
            second, waits = await later.enter_async_context(instance(server, name, folder))
            await asyncio.wait_for(said.waiting.wait(), PATIENCE_S)
            last = (await bus.tell([full(log, f"d{number}").fact for number in range(5)]))[-1]
            await asyncio.wait_for(first.watched(PLACES[name][0]).reaches(last), PATIENCE_S)
            assert not working.done()
            assert not waits.done()
            assert waits_for_its_place(second)
            assert not waits_for_its_place(first)
            assert (first.alarms, second.alarms) == ([], [])
            assert said.disturbed == []
            assert held
            assert held.items() <= (await owners(bus)).items()
        await at_work(second)
        assert not waits.done()
    recorded = [sequence for sequence, _ in leaves(folder / "seal")]
    assert recorded == sorted(set(recorded))


@pytest.fixture(scope="module")
def stories(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, BaseException | None]]:
    """How each service's story ended, told beside each other: each waits some seconds until a place that is free is seen."""

    async def told() -> list[BaseException | None]:
        found = (story(name, tmp_path_factory.mktemp(name)) for name in PLACES)
        return await asyncio.gather(*found, return_exceptions=True)

    logger = logging.getLogger("cardtrail.bus")
    before = logger.level
    logger.setLevel(logging.INFO)
    yield dict(zip(PLACES, asyncio.run(told()), strict=True))
    logger.setLevel(before)


@pytest.mark.parametrize("name", PLACES)
def test_it_waits_while_the_first_is_at_work_and_goes_on_when_that_is_gone(
    name: str, stories: dict[str, BaseException | None]
) -> None:
    if (wrong := stories[name]) is not None:
        raise wrong
