"""A listener's queue: in order, and a new snapshot where it would grow without end."""

import asyncio

from cardtrail.services.planner.update import MOST, Listener, Update
from tests.services.planner.routes import NOW


def told(number: int) -> Update:
    return Update(kind="freshness", at=NOW, skill="quote", through=number)


def test_updates_come_in_order_after_the_snapshot() -> None:
    async def run() -> list[int]:
        listener = Listener(lambda: [told(1), told(2)])
        listener.tell(told(3))
        return [(await listener.next()).through for _ in range(3)]

    assert asyncio.run(run()) == [1, 2, 3]


def test_a_listener_that_is_too_slow_gets_a_snapshot_instead_of_an_endless_queue() -> None:
    async def run() -> list[int]:
        newest = 0
        listener = Listener(lambda: [told(newest)])
        for newest in range(1, MOST + 1):
            listener.tell(told(newest))
        listener.tell(told(MOST + 1))
        return [(await listener.next()).through for _ in range(2)]

    assert asyncio.run(run()) == [MOST, MOST + 1]


def test_one_who_waits_is_woken() -> None:
    async def run() -> int:
        listener = Listener(list)
        waiting = asyncio.ensure_future(listener.next())
        await asyncio.sleep(0)
        listener.tell(told(1))
        return (await waiting).through

    assert asyncio.run(run()) == 1
