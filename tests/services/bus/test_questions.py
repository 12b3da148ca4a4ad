"""Questions between services: a long answer is waited for with patience, never without end, and made once for all who wait."""

import asyncio
import logging
from typing import Any

import pytest

from cardtrail.events.errors import CardtrailError, Unreachable
from cardtrail.services.bus.questions import answer, ask, ask_all, ask_patiently, together
from tests.nats_server import fresh_bus
from tests.services.bus.test_retried import heard
from tests.streams import PATIENCE_S

SUBJECT = "cardtrail.query.test"


class Slow:
    """Answers with a number, when it is let; `begun` counts how often it began."""

    def __init__(self) -> None:
        self.begun, self.at_once, self.most = 0, 0, 0
        self.gate, self.began = asyncio.Event(), asyncio.Event()

    async def __call__(self, _: dict[str, Any]) -> dict[str, Any]:
        self.begun += 1
        self.began.set()
        number, self.at_once = self.begun, self.at_once + 1
        self.most = max(self.most, self.at_once)
        await self.gate.wait()
        self.at_once -= 1
        return {"number": number}


def test_whoever_asks_while_an_answer_is_made_shares_the_next_one_and_no_third_is_begun() -> None:
    async def run() -> None:
        slow = Slow()
        shared = together(slow)
        first = asyncio.ensure_future(shared({}))
        await slow.began.wait()
        others = [asyncio.ensure_future(shared({})) for _ in range(40)]
        slow.gate.set()
        assert await first == {"number": 1}
        assert {one["number"] for one in await asyncio.gather(*others)} == {2}
        assert (slow.begun, slow.most) == (2, 1)
        assert await shared({}) == {"number": 3}

    asyncio.run(run())


def test_an_answer_that_was_lost_costs_a_repeat_and_no_more() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            asked = 0

            async def lost(message: Any) -> None:
                nonlocal asked
                asked += 1
                if asked > 2:
                    await message.respond(b'{"ok":true}')

            await bus.connection.nc.subscribe(SUBJECT, cb=lost)
            assert await ask_patiently(bus, SUBJECT, {}, within_s=PATIENCE_S, repeat_s=0.05) == {"ok": True}
            assert asked == 3

    asyncio.run(run())


def test_an_answer_that_takes_longer_than_a_repeat_is_the_first_one_made() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            slow, stop, repeats = Slow(), asyncio.Event(), asyncio.Semaphore(0)

            async def heard(_: Any) -> None:
                repeats.release()

            await bus.connection.nc.subscribe(SUBJECT, cb=heard)
            answering = asyncio.create_task(answer(bus, SUBJECT, together(slow), stop))
            asking = asyncio.create_task(ask_patiently(bus, SUBJECT, {}, within_s=PATIENCE_S, repeat_s=0.02))
            for _ in range(10):
                await repeats.acquire()
            slow.gate.set()
            assert await asking == {"number": 1}
            assert slow.begun <= 2
            stop.set()
            await answering

    asyncio.run(run())


async def nothing(_: Any) -> None:
    """Hears, and says nothing."""


def test_nobody_there_is_said_at_once_and_a_silent_one_in_time() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            with pytest.raises(Unreachable):
                await asyncio.wait_for(ask_patiently(bus, SUBJECT, {}, within_s=600), PATIENCE_S)
            await bus.connection.nc.subscribe(SUBJECT, cb=nothing)
            with pytest.raises(Unreachable):
                await ask_patiently(bus, SUBJECT, {}, within_s=0.2, repeat_s=0.05)

    asyncio.run(run())


def test_a_refusal_is_an_answer() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            stop = asyncio.Event()

            async def refuses(question: dict[str, Any]) -> dict[str, Any]:
                raise CardtrailError("store-away", "not now")

            answering = asyncio.create_task(answer(bus, SUBJECT, together(refuses), stop))
            await bus.connection.nc.flush()
            with pytest.raises(CardtrailError) as refused:
                await ask_patiently(bus, SUBJECT, {}, within_s=PATIENCE_S)
            assert refused.value.code == "store-away"
            stop.set()
            await answering

    asyncio.run(run())


def test_an_answer_under_way_does_not_keep_a_service_from_ending() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            slow, stop = Slow(), asyncio.Event()
            answering = asyncio.create_task(answer(bus, SUBJECT, together(slow), stop))
            asking = asyncio.create_task(ask_patiently(bus, SUBJECT, {}, within_s=600))
            await slow.began.wait()
            stop.set()
            await asyncio.wait_for(answering, PATIENCE_S)
            asking.cancel()
            await asyncio.gather(asking, return_exceptions=True)

    asyncio.run(run())


def test_a_service_that_is_silent_is_named_and_the_broker_is_not_blamed() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, server):
            with pytest.raises(Unreachable) as nobody:
                await ask(bus, "cardtrail.health.decider", {})
            await bus.connection.nc.subscribe("cardtrail.health.compiler", cb=nothing)  # is there, and stands still
            with pytest.raises(Unreachable) as still:
                await ask(bus, "cardtrail.health.compiler", {}, within_s=0.2)
            assert [(one.value.code, one.value.message) for one in (nobody, still)] == [
                ("service-unreachable", "decider does not answer"), ("service-unreachable", "compiler does not answer"),
            ]  # fmt: skip
            server.kill()
            with pytest.raises(Unreachable) as away:
                await ask(bus, "cardtrail.health.decider", {}, within_s=0.5)
            assert away.value.code == "broker-unreachable"

    asyncio.run(run())


def test_of_all_that_are_asked_the_silent_ones_are_left_out_and_the_others_are_heard() -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            stop = asyncio.Event()

            async def told(question: dict[str, Any]) -> dict[str, Any]:
                return {"service": "a", "process": "1", "was_asked": question}

            answering = asyncio.create_task(answer(bus, "test.a", told, stop))
            found: list[dict[str, Any]] = []
            while not found:
                found = await ask_all(bus, "test", ("a", "b"), within_s=0.5)
            stop.set()
            await answering
            assert found == [{"service": "a", "process": "1", "was_asked": {"all": True}}]

    asyncio.run(run())


@pytest.mark.parametrize("junk", [b"junk", b"[1]", b"7", b"\xff", b"[" * 100_000])
def test_what_is_no_question_is_passed_over_without_a_line_and_the_next_one_is_answered(junk: bytes) -> None:
    async def run() -> None:
        async with fresh_bus() as (bus, _):
            stop = asyncio.Event()

            async def answering(question: dict[str, Any]) -> dict[str, Any]:
                return {"heard": question}

            task = asyncio.create_task(answer(bus, SUBJECT, answering, stop))
            with heard(logging.getLogger("cardtrail.bus")) as told:
                for _ in range(2):  # the first round lets it begin, the second comes behind it
                    await bus.connection.nc.flush()
                await bus.connection.nc.publish(SUBJECT, junk)
                assert await ask(bus, SUBJECT, {"a": 1}) == {"heard": {"a": 1}}
            stop.set()
            await task
            assert [line for line in told.lines if "question" in line] == []

    asyncio.run(run())
