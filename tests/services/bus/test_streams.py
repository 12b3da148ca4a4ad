"""The streams as we want them on a real server; what an operator has changed is reported and left alone."""

import asyncio

import pytest
from nats.js.api import DiscardPolicy

from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.errors import BrokerRefused
from cardtrail.services.bus.names import BODIES, FACTS, SCHEDULES
from cardtrail.services.bus.streams import Sizes, sizes_for, wanted
from tests.nats_server import SMALL, fresh_bus, server


def test_missing_streams_are_created_as_wanted_and_found_equal_the_next_time() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, running):
            assert bus.differences == ()
            async with Bus(running.url, streams=SMALL) as again:
                assert again.differences == ()

    asyncio.run(run())


def test_the_log_can_neither_be_purged_nor_thinned() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            for subject, question in (
                (f"STREAM.PURGE.{FACTS}", None),
                (f"STREAM.MSG.DELETE.{FACTS}", {"seq": 1}),
            ):
                with pytest.raises(BrokerRefused):
                    await bus.connection.ask(subject, question)

    asyncio.run(run())


def test_settings_of_an_operator_are_reported_and_never_rewritten() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, running):
            js = bus.connection.js
            config = (await js.stream_info(FACTS)).config
            await js.update_stream(config, max_age=30 * 86_400.0, duplicate_window=3_600.0, max_bytes=99 << 20)
            async with Bus(running.url, streams=SMALL) as again:
                told = {(one.stream, one.setting, one.wanted, one.live) for one in again.differences}
            assert told == {
                (FACTS, "max_age", "unset", str(30 * 86_400 * 10**9)),
                (FACTS, "duplicate_window", str(600 * 10**9), str(3_600 * 10**9)),
            }
            live = (await js.stream_info(FACTS)).config
            assert (live.max_age, live.duplicate_window, live.max_bytes) == (30 * 86_400, 3_600, 99 << 20)

    asyncio.run(run())


def test_a_log_without_a_limit_is_reported() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, running):
            config = (await bus.connection.js.stream_info(BODIES)).config
            await bus.connection.js.update_stream(config, max_bytes=-1)
            async with Bus(running.url, streams=SMALL) as again:
                assert [(one.setting, one.live) for one in again.differences] == [("max_bytes", "unlimited")]

    asyncio.run(run())


def test_nothing_that_matters_is_ever_discarded_for_room() -> None:
    for config in wanted(Sizes()):
        unlimited = config.max_bytes is None
        assert (config.discard is DiscardPolicy.NEW) != unlimited
        assert unlimited == (config.name == SCHEDULES)
        assert not config.max_age


def test_limits_leave_a_fifth_of_the_disk_alone() -> None:
    free = 100 << 30
    sizes = sizes_for(free)
    assert sizes.facts + sizes.bodies + sizes.reports <= free * 4 // 5
    assert sizes_for(0).facts > 0


def test_services_that_start_at_the_same_moment_agree_on_the_streams_of_the_first() -> None:
    async def run() -> None:
        with server() as running:
            sizes = [SMALL.model_copy(update={"facts": (200 + number) << 20}) for number in range(6)]
            buses = [Bus(running.url, streams=size) for size in sizes]
            for bus in await asyncio.gather(*(bus.__aenter__() for bus in buses)):
                assert bus.differences == ()
                await bus.__aexit__()

    asyncio.run(run())
