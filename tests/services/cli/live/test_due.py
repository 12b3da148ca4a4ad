"""`refresh`: what is asked for is due now by the clock that fires it, whatever this machine's says."""

import asyncio
from datetime import datetime, timedelta

import pytest

from cardtrail.events import AgentTracked, CardFetched
from cardtrail.events.agent_tracked import Target
from cardtrail.events.errors import Unreachable
from cardtrail.services.bus.kv_store import KvStore
from cardtrail.services.bus.progress import Progress
from cardtrail.services.bus.questions import answer
from cardtrail.services.bus.runner import run_fold
from cardtrail.services.bus.schedules import queue, read_due
from cardtrail.services.cli.live.due import refresh
from cardtrail.services.cli.live.tracker import Tracker, here
from cardtrail.services.service import HEALTH
from cardtrail.services.settings import Settings
from cardtrail.services.telling import operator_fact
from tests.nats_server import fresh_bus
from tests.services.bus.facts import Numbers, fetched
from tests.streams import PATIENCE_S

_TARGET = Target(kind="card-url", value="https://agent.example/card.json")


class Ahead(Tracker):
    """On a machine whose clock is an hour ahead."""

    __slots__ = ()

    def now(self) -> datetime:
        return here() + timedelta(hours=1)


def test_a_look_asked_for_from_a_machine_whose_clock_is_ahead_is_due_at_once() -> None:
    async def run() -> str:
        async with fresh_bus() as (bus, server):
            await bus.tell([operator_fact(AgentTracked(agent="pricing", target=_TARGET), "test")])
            tracker = Ahead(Settings(), server.url, bus, await bus.info())
            await refresh(tracker, "pricing", [], forced=False, wait_s=None)
            jobs = queue(bus, "refresh")
            job = await asyncio.wait_for(jobs.take(), PATIENCE_S)
            await jobs.done(job)
            await jobs.close()
            return read_due(job.data).agent

    assert asyncio.run(run()) == "pricing"


def test_waiting_for_a_service_that_stands_still_names_it_and_not_the_broker() -> None:
    async def run() -> Unreachable:
        async with fresh_bus() as (bus, server):
            await bus.tell([operator_fact(AgentTracked(agent="pricing", target=_TARGET), "test")])
            tracker = Tracker(Settings(), server.url, bus, await bus.info())
            looked = operator_fact(CardFetched(agent="pricing"), "test")
            await bus.tell([looked])  # behind the log as we found it: it counts as the look; the compiler is not there
            with pytest.raises(Unreachable) as silent:
                await refresh(tracker, "pricing", [], forced=False, wait_s=3.0)
            return silent.value

    error = asyncio.run(run())
    assert (error.code, error.message, error.exit_code) == ("service-unreachable", "compiler does not answer", 4)


def test_a_look_whose_facts_are_held_back_is_not_said_to_have_changed_nothing() -> None:
    async def run() -> Unreachable:
        async with fresh_bus() as (bus, server):
            await bus.tell([operator_fact(AgentTracked(agent="pricing", target=_TARGET), "test")])
            tracker = Tracker(Settings(), server.url, bus, await bus.info())
            await bus.tell([fetched("pricing", 1, detail="poison"), fetched("pricing", 2), fetched("other", 3)])
            stop, seen, store = asyncio.Event(), Progress(), KvStore(bus, "state", "decider")
            folding = asyncio.create_task(run_fold(bus, Numbers(), store, stop=stop, progress=seen))

            async def health(_: dict[str, object]) -> dict[str, object]:
                return {"folds": {"one": {"position": seen.position}}}

            answering = [
                asyncio.create_task(answer(bus, f"{HEALTH}.{name}", health, stop)) for name in ("compiler", "decider")
            ]
            with pytest.raises(Unreachable) as held:
                await refresh(tracker, "pricing", [], forced=False, wait_s=PATIENCE_S)
            stop.set()
            await asyncio.gather(folding, *answering)
            return held.value

    error = asyncio.run(run())
    assert (error.code, error.exit_code) == ("refresh-held-back", 4)
    assert error.message == 'not judged: decider holds 2 facts about "pricing" back, fact 2 first'
    assert "cardtrail replay --parked" in error.hint
