"""From a card in hand to the planner that holds the route, beside a bare two-hop publish → deliver on the same broker (≤ 5 ×).

The services are real processes, as `cardtrail up` runs them; teller, planner and yardstick share this one. Measured: the body
kept, `CardFetched` told, compiled, decided, and the update in a planner's hand; a break (which comes with the live decision)
and the return from it (which comes with the route) in turn, p99 over both. The yardstick is JetStream at its barest on the
same server, in turn with ours: publish, a pull consumer that publishes what it gets, a pull consumer that gets that.
"""

import asyncio
import itertools
import json
import os
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from nats.js.api import AckPolicy, ConsumerConfig, StreamConfig

from cardtrail.events import AgentTracked, CardFetched, LockfilePinned, PolicyDeclared
from cardtrail.events.agent_tracked import Target
from cardtrail.events.canonical import digest
from cardtrail.events.model.policy import Policy
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.embedded import EmbeddedServer
from cardtrail.services.bus.pull import Pull
from cardtrail.services.percentile import percentile
from cardtrail.services.planner import Planner, Update
from cardtrail.services.supervise import Children
from cardtrail.services.telling import operator_fact
from cardtrail.services.verdict.lock import lock_digest, read_lock
from tests.nats_server import SMALL
from tests.services.cli.cards import URL, card, lock, skill

AGENT, TRIP = "pricing", "trip-planner"
SERVICES = ("compiler", "decider", "projector")
WARM_UP = 10


def bench(rounds: int = 300) -> dict[str, float]:
    """Milliseconds: both p50 and p99, breaks and returns apart, and the ratio of the p99."""
    return asyncio.run(_bench(rounds))


async def _bench(rounds: int) -> dict[str, float]:
    breaks: list[float] = []
    returns: list[float] = []
    bare: list[float] = []
    async with _tracker() as (bus, planner), _two_hops(bus) as hop:
        updates = planner.updates()
        turns = itertools.cycle((False, True))
        for number in range(-WARM_UP, rounds):
            streaming = next(turns)
            hopped = await hop(number)
            spent = await _changed(bus, updates, streaming=streaming, number=number)
            if number >= 0:
                bare.append(hopped)
                (returns if streaming else breaks).append(spent)
    told = {
        f"{name}_p{percent}_ms": round(1000 * (percentile(sorted(times), percent) or 0.0), 2)
        for name, times in (("update", breaks + returns), ("break", breaks), ("return", returns), ("bare", bare))
        for percent in (50, 99)
    }
    return told | {"ratio": round(told["update_p99_ms"] / told["bare_p99_ms"], 2)}


async def _changed(bus: Bus, updates: AsyncIterator[Update], *, streaming: bool, number: int) -> float:
    """Seconds from a card in hand to the planner's other answer; returns when its route is there, too."""
    extra = skill(id=f"extra-{number}")  # never a profile that was there before: two that alternate would be flapping
    body = json.dumps(card(capabilities={"streaming": streaming}, skills=[skill(), extra])).encode()
    spent = 0.0
    start = time.perf_counter()
    named = await bus.put_body(AGENT, "public", body)
    await bus.tell([operator_fact(CardFetched(agent=AGENT, raw_digest=named, location=URL), "bench")])
    wanted, verdict = ("yes", "compatible") if streaming else ("no", "breaking")
    async for update in updates:
        said = update.permission
        if said is not None and said.answer == wanted:
            spent = spent or time.perf_counter() - start
            if said.verdict == verdict:
                return spent
    raise AssertionError("updates never end")


@asynccontextmanager
async def _tracker() -> AsyncIterator[tuple[Bus, Planner]]:
    """A broker of its own, the three services on the way as processes, one lock, one planner that has caught up."""
    with (
        tempfile.TemporaryDirectory(prefix="cardtrail-bench-") as folder,
        EmbeddedServer(Path(folder) / "nats") as server,
    ):
        seen = {**os.environ, "NATS_URL": server.url, "CARDTRAIL_DATA": folder}
        held = read_lock(json.dumps(lock()).encode()).lockfile
        policy = Policy()
        async with Bus(server.url, streams=SMALL) as bus, Children(SERVICES, None, seen):
            for event in (
                PolicyDeclared(policy=policy, digest=digest(policy)),
                AgentTracked(agent=AGENT, target=Target(kind="card-url", value=URL)),
                LockfilePinned(agent=URL, workflow=TRIP, lockfile=held, lock_digest=lock_digest(held)),
            ):
                await bus.tell([operator_fact(event, "bench")])
            named = await bus.put_body(AGENT, "public", json.dumps(card()).encode())
            await bus.tell([operator_fact(CardFetched(agent=AGENT, raw_digest=named, location=URL), "bench")])
            async with Planner(server.url, TRIP) as planner:
                async for update in planner.updates():
                    if update.permission is not None and update.permission.allowed:
                        break
                yield bus, planner


@asynccontextmanager
async def _two_hops(bus: Bus) -> AsyncIterator:
    """One message there and on, through two streams kept as the log is: seconds until the second consumer has it."""
    js, pulls = bus.connection.js, []
    for place in ("one", "two"):
        await js.add_stream(StreamConfig(name=f"BENCH_{place}", subjects=[f"bench.{place}"], max_bytes=64 << 20))
        config = ConsumerConfig(durable_name="bench", ack_policy=AckPolicy.NONE, filter_subject=f"bench.{place}")
        await js.add_consumer(f"BENCH_{place}", config)
        pull = Pull(bus.connection, bus.connection.listen_directly, window=64)
        await pull.begin(f"BENCH_{place}", "bench", 0)
        pulls.append(pull)
    first, second = pulls

    async def on() -> None:
        while True:
            for message in await first.take(1):
                await js.publish("bench.two", message.data)

    async def hop(number: int) -> float:
        start = time.perf_counter()
        sent = asyncio.ensure_future(js.publish("bench.one", str(number).encode()))
        (message,) = await second.take(1)
        spent = time.perf_counter() - start
        assert int(message.data) == number
        await sent
        return spent

    passing = asyncio.create_task(on())
    try:
        yield hop
    finally:
        passing.cancel()
        await asyncio.gather(passing, return_exceptions=True)
        for pull in pulls:
            await pull.end()


if __name__ == "__main__":
    print(json.dumps(bench()))
