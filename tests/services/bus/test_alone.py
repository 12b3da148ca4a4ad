"""Work that may be broken off: its result, or what failed first; nothing is left behind unheard."""

import asyncio
import gc
from typing import Any

from cardtrail.services.bus.alone import unless


def run_and_hear(work: Any) -> list[str]:
    """What the loop had to complain about: failures that nobody took."""
    heard: list[str] = []

    async def run() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: heard.append(str(context["message"])))
        await work()
        gc.collect()

    asyncio.run(run())
    return heard


async def fails(error: type[Exception]) -> None:
    raise error


def test_the_result_comes_back_and_a_stop_gives_the_work_up() -> None:
    async def work() -> None:
        stop = asyncio.Event()
        assert await unless(stop, asyncio.sleep(0, "done")) == "done"
        stop.set()
        assert await unless(stop, asyncio.sleep(60)) is None

    assert run_and_hear(work) == []


def test_where_the_work_and_what_runs_beside_it_fail_at_once_one_is_raised_and_the_other_is_heard() -> None:
    raised: list[str] = []

    async def work() -> None:
        beside = asyncio.ensure_future(fails(ZeroDivisionError))
        try:
            await unless(asyncio.Event(), fails(KeyError), beside)
        except ZeroDivisionError as error:
            raised.append(type(error).__name__)

    assert run_and_hear(work) == []
    assert raised == ["ZeroDivisionError"]
