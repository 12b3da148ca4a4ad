"""A refresh answered 304, all safety on, beside a bare httpx keep-alive GET of the same URL (goal: ≥ 70 % of its rate)."""

import asyncio
import json
import multiprocessing
import ssl
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from multiprocessing.connection import Connection
from pathlib import Path

import httpx

from cardtrail.events.agent_tracked import Target
from cardtrail.events.card_fetched import CardFetched
from cardtrail.events.model.policy import EndpointPolicy
from cardtrail.services.fetcher.errand import Errand
from cardtrail.services.fetcher.examine import Checks
from cardtrail.services.fetcher.memory import Memory
from cardtrail.services.fetcher.refresh import refresh
from cardtrail.services.outbound.client import Door
from cardtrail.services.settings import TlsSettings
from tests.agent_host import AgentHost, Reply
from tests.services.fetcher.looks import WELL_KNOWN, card

NOW = datetime(2026, 10, 2, tzinfo=UTC)
TAG = '"one"'


def bench(requests: int = 400, rounds: int = 7) -> dict[str, float]:
    """Requests per second of both, medians of rounds measured in turn, and the ratio of the medians."""
    with _provider() as (port, ca_file):
        measured = asyncio.run(_measure(port, ca_file, requests, rounds))
    bare, ours = (statistics.median(rates) for rates in zip(*measured, strict=True))
    return {"httpx_per_s": round(bare), "refresh_per_s": round(ours), "ratio": round(ours / bare, 3)}


async def _measure(port: int, ca_file: Path, requests: int, rounds: int) -> list[tuple[float, float]]:
    url = f"https://localhost:{port}{WELL_KNOWN}"
    headers = {"If-None-Match": TAG, "Accept": "application/json", "A2A-Version": "1.0"}
    policy = EndpointPolicy(cidrs=("127.0.0.0/8", "::1/128"))
    errand = Errand("pricing", Target(kind="domain", value=f"localhost:{port}"), policy=policy, legacy_path=False)
    context = ssl.create_default_context(cafile=str(ca_file))
    async with httpx.AsyncClient(verify=context) as client, Door(None, TlsSettings(ca_bundle=ca_file)) as door:
        first = await refresh(errand, Memory(), door.send, Checks(), NOW)
        memory = Memory().after(first.fact, 1, NOW)

        async def bare() -> None:
            assert (await client.get(url, headers=headers)).status_code == 304

        async def ours() -> None:
            fact = (await refresh(errand, memory, door.send, Checks(), NOW)).fact
            assert isinstance(fact, CardFetched)
            assert (fact.status, fact.same_as) == (304, 1)

        return [(await _rate(bare, requests), await _rate(ours, requests)) for _ in range(rounds)]


async def _rate(one: Callable[[], Awaitable[None]], requests: int) -> float:
    start = time.perf_counter()
    for _ in range(requests):
        await one()
    return requests / (time.perf_counter() - start)


@contextmanager
def _provider() -> Iterator[tuple[int, Path]]:
    """The provider in a process of its own, so that it takes no time from either side."""
    near, far = multiprocessing.get_context("spawn").Pipe()
    process = multiprocessing.get_context("spawn").Process(target=_serve, args=(far,), daemon=True)
    process.start()
    port, authority = near.recv()
    with tempfile.TemporaryDirectory() as folder:
        ca_file = Path(folder) / "ca.pem"
        ca_file.write_bytes(authority)
        yield port, ca_file
    near.send(None)
    process.join(10)


def _serve(pipe: Connection) -> None:
    with AgentHost("localhost") as host:
        host.serve(WELL_KNOWN, Reply(card(), headers={"ETag": TAG, "Cache-Control": "max-age=60"}))
        pipe.send((host.port, host.ca_file.read_bytes()))
        pipe.recv()


if __name__ == "__main__":
    print(json.dumps(bench()))
