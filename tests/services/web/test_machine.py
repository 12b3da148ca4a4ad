"""What watches the tracker is answered while the broker is away: that is when it is asked."""

import asyncio
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, cast

from prometheus_client.parser import text_string_to_metric_families
from starlette.requests import Request

from cardtrail.services.web.machine import Machine
from cardtrail.services.web.site import Site
from tests.nats_server import fresh_bus
from tests.streams import PATIENCE_S


def test_a_scrape_without_a_broker_says_that_nothing_is_up() -> None:
    async def run() -> bytes:
        async with fresh_bus() as (bus, server):
            lost = asyncio.Event()
            bus.connection.on_back(lost.set)
            server.kill()
            await asyncio.wait_for(lost.wait(), PATIENCE_S)
            held: Any = SimpleNamespace(
                context=SimpleNamespace(bus=bus), memory=SimpleNamespace(principals=()), now=lambda: datetime.now(UTC)
            )
            answer = await Machine(cast("Site", held)).metrics(Request({"type": "http"}))
            return bytes(answer.body)

    families = text_string_to_metric_families(asyncio.run(run()).decode())
    found = {family.name: [sample.value for sample in family.samples] for family in families}
    assert found["cardtrail_log_up"] == [0]
    assert set(found["cardtrail_service_up"]) == {0}
