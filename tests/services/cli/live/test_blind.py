"""can-i-delegate where one principal's bucket cannot be kept: unknown for that one, an answer for the others."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

from cardtrail.events import AgentTracked
from cardtrail.events.agent_tracked import Target
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.kv_store import KvStore
from cardtrail.services.bus.questions import answer
from cardtrail.services.cli.live.delegating import can_i_delegate
from cardtrail.services.cli.live.tracker import Tracker
from cardtrail.services.planner.pulse import PATH
from cardtrail.services.service import HEALTH
from cardtrail.services.settings import Settings
from cardtrail.services.telling import operator_fact
from tests.nats_server import fresh_bus
from tests.services.planner.routes import candidate, route

PRINCIPALS = ("public", "team-b")


async def routed(bus: Bus, principal: str) -> None:
    store = KvStore(bus, "routes", principal)
    rows, _ = await store.load()
    soon = datetime.now(UTC) + timedelta(hours=1)
    told = route(candidate(stale_after=soon), principal=principal).model_dump(mode="json")
    rows.put("routes", (principal, told["workflow"], told["skill"]), told)
    await store.commit(rows, 2)


async def answers(failing: str) -> dict[str, str]:
    """What is said for each principal while the projector says why `routes/team-b` cannot be kept."""
    folds = {"routes/public": {"failing": ""}, "routes/team-b": {"failing": failing}}
    async with fresh_bus() as (bus, server):
        target = Target(kind="document", value="no card")
        await bus.tell(
            [operator_fact(AgentTracked(agent="pricing", principal=one, target=target), "test") for one in PRINCIPALS]
        )
        for one in PRINCIPALS:
            await routed(bus, one)
        stop = asyncio.Event()

        async def health(question: dict[str, Any]) -> dict[str, Any]:
            return {"folds": folds}

        answering = [asyncio.create_task(answer(bus, f"{HEALTH}.{service}", health, stop)) for service in PATH]
        tracker = Tracker(Settings(), server.url, bus, await bus.info())
        found = await can_i_delegate(tracker, None, None, wait_s=0, anybody=False)
        stop.set()
        await asyncio.gather(*answering)
        return {one.principal: one.answer for one in found.answers}


def test_a_principal_whose_rows_cannot_be_kept_is_unknown_and_the_others_are_answered() -> None:
    assert asyncio.run(answers("broker-refused")) == {"public": "yes", "team-b": "unknown"}
    assert asyncio.run(answers("")) == {"public": "yes", "team-b": "yes"}
