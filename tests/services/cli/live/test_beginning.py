"""What `up` says: what is watched by the log, whoever told it, and a URL that can be copied."""

import asyncio
from pathlib import Path

from cardtrail.events import AgentTracked, AgentUntracked, LockfilePinned
from cardtrail.events.agent_tracked import Target
from cardtrail.services.cli.live.beginning import announced, beginning
from cardtrail.services.service import SERVICES
from cardtrail.services.settings import BrokerSettings, Settings
from cardtrail.services.supervise import Children
from cardtrail.services.system import System
from cardtrail.services.telling import operator_fact
from tests.nats_server import fresh_bus
from tests.projections.facts import LOCK, lock


def test_agents_that_were_tracked_by_hand_are_counted_and_the_url_can_be_copied(tmp_path: Path) -> None:
    async def run() -> tuple[str, list[str], list[str]]:
        target = Target(kind="domain", value="pricing.example")
        told = (
            AgentTracked(agent="pricing", target=target),
            AgentTracked(agent="fares", target=target),
            AgentUntracked(agent="fares"),
            LockfilePinned(agent="pricing", workflow="trip", lockfile=lock(), lock_digest=LOCK),
        )
        settings = Settings(broker=BrokerSettings(data=tmp_path))
        async with fresh_bus() as (bus, server):
            await bus.tell([operator_fact(event, "test") for event in told])
            system = System(server.url, Children((), None, {}), bus)
            work, audit = [await beginning(system, settings, audit=each) for each in (False, True)]
            return server.url, work, audit

    url, work, audit = asyncio.run(run())
    assert work == [f"cardtrail is up on {url} with 1 agent, 1 workflow. Ctrl-C ends it."]
    assert audit == [f"cardtrail is up on {url} for an audit: nothing is fetched, decided or told. Ctrl-C ends it."]
    assert url in work[0].split()


def test_what_is_started_is_said_before_it_is_there() -> None:
    own, named = Settings(), {"NATS_URL": "nats://u:secret@broker:4222"}
    assert announced(own, {}, SERVICES) == "starting nats-server and 8 services …"
    assert announced(own, named, ("projector",)) == "starting 1 service on nats://broker:4222 …"
