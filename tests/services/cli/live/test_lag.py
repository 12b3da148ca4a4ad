"""The lag of `status` is that of the slowest bucket of anybody, also where the locks' own rows are up to date."""

import asyncio

import pytest

from cardtrail.events import AgentTracked
from cardtrail.events.agent_tracked import Target
from cardtrail.services.bus.accounts import PLANNER_BUCKETS
from cardtrail.services.bus.kv_store import KvStore
from cardtrail.services.cli.live.standing import status
from cardtrail.services.cli.live.tracker import Tracker
from cardtrail.services.settings import Settings
from cardtrail.services.telling import operator_fact
from tests.nats_server import fresh_bus

PRINCIPALS = ("public", "team-b")


async def facts_behind(slow: dict[tuple[str, str], int]) -> int:
    """What `status` says where every bucket has seen the whole log but these."""
    async with fresh_bus() as (bus, server):
        target = Target(kind="document", value="no card")
        last = (
            await bus.tell(
                [
                    operator_fact(AgentTracked(agent="pricing", principal=one, target=target), "test")
                    for one in PRINCIPALS
                ]
            )
        )[-1]
        for principal in PRINCIPALS:
            for name in PLANNER_BUCKETS:
                store = KvStore(bus, name, principal)
                rows, _ = await store.load()
                if position := slow.get((name, principal), last):
                    await store.commit(rows, position)
        return (await status(Tracker(Settings(), server.url, bus, await bus.info()))).lag.facts


@pytest.mark.parametrize(
    ("slow", "behind"),
    [
        ({}, 0),
        ({("routes", "public"): 1}, 1),
        ({("lockfile_status", "team-b"): 1}, 1),
        ({("current_profile", "team-b"): 0}, 2),
    ],
)
def test_a_bucket_that_stands_still_is_a_lag(slow: dict[tuple[str, str], int], behind: int) -> None:
    assert asyncio.run(facts_behind(slow)) == behind
