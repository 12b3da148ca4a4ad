"""What watches the tracker is answered while the broker is away: that is when it is asked."""

import asyncio
import json
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, cast

import pytest
from prometheus_client.parser import text_string_to_metric_families
from starlette.requests import Request

from cardtrail.services.bus.questions import answer
from cardtrail.services.service import HEALTH, SERVICES
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


FOLD = {"position": 1, "pending": 0, "parked": 0, "told": 0, "follows": "facts", "silent_s": 0.1, "failing": ""}
WELL: dict[str, Any] = {"connected": True, "waits": False, "folds": {"dispatch": FOLD}}


@pytest.mark.parametrize(
    ("two", "alive"),
    [
        ((WELL, WELL), True),
        ((WELL, {**WELL, "waits": True, "folds": {}}), True),
        ((WELL, {**WELL, "folds": {"dispatch": {**FOLD, "silent_s": 45.0}}}), False),
        (({**WELL, "folds": {"dispatch": {**FOLD, "failing": "the disk is full"}}}, WELL), False),
        (({**WELL, "connected": False}, WELL), False),
        (({**WELL, "folds": {"dispatch": {**FOLD, "parked": 2}}}, WELL), True),
    ],
)
def test_of_two_processes_of_a_service_none_hides_the_other(two: tuple[dict[str, Any], ...], alive: bool) -> None:
    async def run() -> dict[str, Any]:
        async with fresh_bus() as (bus, _):
            stop = asyncio.Event()

            def saying(service: str, told: dict[str, Any]) -> Any:
                async def answering(_: dict[str, Any]) -> dict[str, Any]:
                    return {"service": service, **told}

                return answer(bus, f"{HEALTH}.{service}", answering, stop)

            said = [("fetcher", {**one, "process": f"host:{number}"}) for number, one in enumerate(two)]
            said += [(name, {**WELL, "process": "host:9"}) for name in SERVICES if name != "fetcher"]
            answering = [asyncio.create_task(saying(*one)) for one in said]
            held: Any = SimpleNamespace(context=SimpleNamespace(bus=bus))
            while True:  # until both are heard
                got = await Machine(cast("Site", held)).health(Request({"type": "http"}))
                found: dict[str, Any] = json.loads(bytes(got.body))
                if found["services"]["fetcher"].get("others"):
                    break
            stop.set()
            await asyncio.gather(*answering)
            assert got.status_code == (200 if found["healthy"] else 503)
            return found

    found = asyncio.run(run())
    fetcher = found["services"]["fetcher"]
    assert (found["healthy"], fetcher["alive"]) == (alive, alive)
    assert not fetcher["waits"]
    assert ["dispatch 2" in one for one in fetcher["alarms"]] == [True] * bool(two[0]["folds"]["dispatch"]["parked"])
    assert {fetcher["process"], fetcher["others"][0]["process"]} == {"host:0", "host:1"}
    assert all(one["alive"] for name, one in found["services"].items() if name != "fetcher")
