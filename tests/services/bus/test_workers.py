"""Work at hosts is bounded for each of them, and a host where there is none is not remembered."""

import asyncio

from cardtrail.services.bus.workers import Hosts


def test_so_many_at_once_at_one_host_and_others_do_not_wait_for_it() -> None:
    async def run() -> None:
        hosts, other, go, begun = Hosts(2), asyncio.Event(), asyncio.Event(), list[str]()

        async def job(host: str) -> None:
            async with hosts.room(host):
                begun.append(host)
                if host == "b":
                    other.set()
                await go.wait()

        async with asyncio.TaskGroup() as tasks:
            waiting = [tasks.create_task(job(host)) for host in "aaaab"]
            await other.wait()
            assert sorted(begun) == ["a", "a", "b"]
            waiting[2].cancel()
            go.set()
        assert sorted(begun) == ["a", "a", "a", "b"]

    asyncio.run(run())


def test_after_work_at_any_number_of_hosts_none_is_remembered() -> None:
    async def run() -> None:
        hosts = Hosts(1)
        for number in range(1_000):
            async with hosts.room(f"h{number}.example"), hosts.room("-"):
                assert len(hosts) == 2
        assert len(hosts) == 0

    asyncio.run(run())
