"""Signs of life: heard while a service lives, passed over where they are none, ended by its stop."""

import asyncio

from cardtrail.services.bus.alive import beat, beats
from tests.nats_server import fresh_bus
from tests.streams import PATIENCE_S


def test_a_service_that_lives_is_heard_and_what_is_no_sign_is_passed_over() -> None:
    async def story() -> None:
        async with fresh_bus() as (bus, _), asyncio.timeout(PATIENCE_S):
            heard = aiter(beats(bus.connection))
            first = asyncio.ensure_future(anext(heard))
            await asyncio.sleep(0)
            stop = asyncio.Event()
            while not first.done():
                for data in (b"", b"{", b"[]", b'{"service": 1}', b'{"service": "x", "silent_s": -1}'):
                    await bus.connection.nc.publish("cardtrail.live.alive.decider", data)
                beating = asyncio.create_task(beat(bus.connection, "decider", lambda: 1.25, stop))
                await asyncio.wait({first}, timeout=0.2)
                stop.set()
                await beating
                stop.clear()
            assert (first.result().service, first.result().silent_s) == ("decider", 1.25)

    asyncio.run(story())


def test_a_principal_whose_rows_are_behind_hears_it_and_nobody_learns_who_that_is() -> None:
    async def story() -> None:
        async with fresh_bus() as (bus, _), asyncio.timeout(PATIENCE_S):
            heard = aiter(beats(bus.connection))
            first = asyncio.ensure_future(anext(heard))
            stop, late = asyncio.Event(), {"team-b": 70.0}
            while not first.done():
                beating = asyncio.create_task(beat(bus.connection, "projector", lambda: 0.5, stop, lambda: late))
                await asyncio.wait({first}, timeout=0.2)
                stop.set()
                await beating
                stop.clear()
            said = first.result()
            assert (said.silent_for("team-b"), said.silent_for("public")) == (70.0, 0.5)
            assert "team-b" not in said.model_dump_json()

    asyncio.run(story())


def test_a_broker_that_is_away_ends_no_service() -> None:
    async def story() -> None:
        async with fresh_bus() as (bus, server), asyncio.timeout(PATIENCE_S):
            gone = asyncio.Event()
            bus.connection.on_back(gone.set)
            server.kill()
            await gone.wait()
            stop = asyncio.Event()
            beating = asyncio.create_task(beat(bus.connection, "decider", lambda: 0.0, stop))
            await asyncio.sleep(0)
            stop.set()
            await beating

    asyncio.run(story())
