"""What a run holds back is said once, then seldom with the count, and once when it is over."""

import asyncio
import logging

from cardtrail.services.bus.holding import Holding
from cardtrail.services.bus.progress import Progress
from cardtrail.services.bus.runner import run_fold
from cardtrail.services.bus.stores import MemoryStore
from tests.nats_server import fresh_bus
from tests.services.bus.facts import Numbers, fetched
from tests.services.bus.test_retried import heard
from tests.streams import PATIENCE_S

log = logging.getLogger("cardtrail.test.holding")


def parked(count: int) -> dict[tuple[str, ...], dict[str, object]]:
    return {("a", "public", str(at)): {"sequence": at, "reason": "failed", "detail": "no"} for at in range(count)}


def test_a_night_of_held_back_facts_is_a_line_each_ten_minutes_and_one_at_the_end() -> None:
    now = 0.0
    with heard(log) as told:
        holding = Holding(log, "decider", clock=lambda: now)
        for count in range(1, 36_001):
            holding.holds(parked(min(count, 50) + (count // 600)))
            now += 1.0
        assert told.lines[0].startswith(
            "decider holds fact 0 back, and with it the later ones of its agent: failed (no); "
        )
        assert told.lines[1].startswith("decider holds 51 facts back; ")
        assert len(told.lines) == 60
        holding.holds({})
        holding.holds({})
        assert told.lines[60:] == ["decider holds no fact back any more"]


def test_a_fold_that_parks_a_fact_says_so_in_the_log_of_its_service_once() -> None:
    async def run() -> list[str]:
        async with fresh_bus() as (bus, _):
            stop, seen = asyncio.Event(), Progress()
            await bus.tell([fetched("p", 1, detail="poison"), fetched("p", 2)])
            with heard(logging.getLogger("cardtrail.bus")) as told:
                running = asyncio.create_task(run_fold(bus, Numbers(), MemoryStore(), stop=stop, progress=seen))
                await asyncio.wait_for(seen.reaches(2), PATIENCE_S)
                await bus.tell([fetched("p", 3)])
                await asyncio.wait_for(seen.reaches(3), PATIENCE_S)
                stop.set()
                await running
            return [line for line in told.lines if "holds" in line]

    (line,) = asyncio.run(run())
    assert "numbers_kv holds fact 1 back" in line
    assert "this fact cannot be applied" in line
    assert "cardtrail replay --parked" in line
