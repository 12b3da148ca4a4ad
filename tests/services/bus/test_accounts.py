"""What a planner's account may do on a real server, and what it may not: above all, read another principal's facts."""

import asyncio
import json
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import nats.errors
import pytest

from cardtrail.services.bus.accounts import User, accounts, permissions
from cardtrail.services.bus.alive import beat, beats
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.errors import BrokerUnreachable
from cardtrail.services.bus.kv_store import KvStore
from cardtrail.services.bus.live import decisions
from cardtrail.services.bus.names import bucket_name, inbox_prefix, kv_stream, kv_subject
from cardtrail.services.bus.questions import answer, ask
from cardtrail.services.bus.watch import Standing, Watch
from tests.nats_server import SMALL, Server
from tests.services.bus.crowd import LIMIT, crowd
from tests.services.bus.facts import decided, fetched
from tests.streams import PATIENCE_S

USERS = (
    User(name="services", password="s"),
    User(name="theirs", password="t", role="planner", principal="team-b", workflows=("booking", "other")),
    User(name="ours", password="o", role="planner", principal="team a", workflows=("booking",)),
)
FORBIDDEN = [
    *(
        f"{api}.{asked}"
        for api in ("$JS.API", "$JS.cardtrail.API")
        for asked in (
            "STREAM.MSG.GET.CARDTRAIL_FACTS",
            "DIRECT.GET.CARDTRAIL_FACTS",
            "DIRECT.GET.KV_routes_public",
            "STREAM.MSG.GET.KV_routes_public",
            "CONSUMER.CREATE.CARDTRAIL_FACTS.team=20a-x.cardtrail.events.>",
            "CONSUMER.CREATE.KV_routes_public.team=20a-x.$KV.routes_public.>",
            "STREAM.LIST",
            "STREAM.DELETE.CARDTRAIL_FACTS",
        )
    ),
    "cardtrail.events.0.a.public.card-fetched.-",
    "cardtrail.reports.public.booking",
    "cardtrail.reports.team=20a.another",
]


@asynccontextmanager
async def two(user: User = USERS[-1]) -> AsyncIterator[tuple[Bus, Bus]]:
    """The services' connection, and one under a planner's account."""
    with tempfile.TemporaryDirectory() as directory:
        running = Server(Path(directory), users=USERS)
        with running:
            services = Bus(running.url.replace("//", "//services:s@"), streams=SMALL)
            url = running.url.replace("//", f"//{user.name}:{user.password}@")
            planner = Bus(url, inbox=inbox_prefix(user.principal), domain="cardtrail")
            async with services, planner:
                yield services, planner


def test_a_planner_watches_its_own_bucket() -> None:
    async def run() -> None:
        async with two() as (services, planner):
            store = KvStore(services, "routes", "team a")
            rows, _ = await store.load()
            rows.put("routes", ("booking",), {"use": "a.example"})
            await store.commit(rows, 7)
            seen = []
            async for change in Watch(planner.connection, "routes", "team a").changes():
                seen.append(change)
                if isinstance(change, Standing) and change.state == "live":
                    break
            assert [change.row for change in seen if not isinstance(change, Standing)] == [{"use": "a.example"}]

    asyncio.run(run())


@pytest.mark.parametrize("user", USERS[1:], ids=lambda user: user.name)
def test_a_planner_hears_the_decisions_of_its_workflows_and_publishes_its_reports(user: User) -> None:
    async def run() -> None:
        async with two(user) as (services, planner):
            heard = aiter(decisions(planner.connection, "booking"))
            first = asyncio.ensure_future(anext(heard))
            while not first.done():
                await services.tell([decided(workflow="booking")])
                await asyncio.wait({first}, timeout=0.1)
            assert first.result().fact is not None
            ack = await planner.connection.nc.request(permissions(user)["publish"][-1], b"{}", timeout=PATIENCE_S)
            assert b"CARDTRAIL_REPORTS" in ack.data

    asyncio.run(run())


@pytest.mark.parametrize("user", USERS[1:], ids=lambda user: user.name)
def test_a_planner_of_any_principal_hears_the_services_signs_of_life(user: User) -> None:
    async def run() -> None:
        async with two(user) as (services, planner):
            heard = aiter(beats(planner.connection))
            first = asyncio.ensure_future(anext(heard))
            while not first.done():
                stop = asyncio.Event()
                saying = asyncio.create_task(beat(services.connection, "decider", lambda: 0.0, stop))
                await asyncio.wait({first}, timeout=0.1)
                stop.set()
                await saying
            assert first.result().service == "decider"

    asyncio.run(run())


def test_the_rows_of_a_planner_that_are_pushed_to_a_service_do_it_no_harm() -> None:
    """A consumer may name any deliver subject; what listens there is asked with rows that it cannot read, and goes on."""

    async def run() -> None:
        async with two() as (services, planner):
            store = KvStore(services, "routes", "team a")
            rows, _ = await store.load()
            rows.put("routes", ("booking",), {"use": "a.example"})
            await store.commit(rows, 7)
            stop, pushed = asyncio.Event(), asyncio.Event()

            async def health(question: dict[str, Any]) -> dict[str, Any]:
                if "table" in question:
                    pushed.set()
                return {"alive": True}

            answering = asyncio.create_task(answer(services, "cardtrail.health.decider", health, stop))
            bucket = bucket_name("routes", "team a")
            keys, name = kv_subject(bucket), "team=20a-push"
            config = {"name": name, "filter_subject": keys, "ack_policy": "none", "mem_storage": True}
            config |= {"deliver_subject": "cardtrail.health.decider", "deliver_policy": "all"}
            body = json.dumps({"stream_name": kv_stream(bucket), "config": config}).encode()
            made = f"$JS.cardtrail.API.CONSUMER.CREATE.{kv_stream(bucket)}.{name}.{keys}"
            said = await planner.connection.nc.request(made, body, timeout=PATIENCE_S)
            assert json.loads(said.data)["name"] == name
            await asyncio.wait_for(pushed.wait(), PATIENCE_S)
            assert (await ask(services, "cardtrail.health.decider", {}, within_s=PATIENCE_S))["alive"] is True
            stop.set()
            await answering

    asyncio.run(run())


@pytest.mark.parametrize("subject", FORBIDDEN)
def test_a_planner_gets_no_answer_where_it_has_no_business(subject: str) -> None:
    async def run() -> None:
        async with two() as (services, planner):
            await services.tell([fetched()])
            await KvStore(services, "routes", "public").load()
            with pytest.raises(nats.errors.TimeoutError):
                await planner.connection.nc.request(subject, b'{"seq":1}', timeout=0.2)
            assert (await services.info()).last == 1

    asyncio.run(run())


def test_a_planner_cannot_watch_the_bucket_of_another_principal() -> None:
    async def run() -> None:
        async with two() as (services, planner):
            await KvStore(services, "routes", "public").load()
            changes = aiter(Watch(planner.connection, "routes", "public").changes())
            states = [
                change.state for change in (await anext(changes), await anext(changes)) if isinstance(change, Standing)
            ]
            assert states == ["catching-up", "blind"]

    asyncio.run(run())


def test_a_planner_whose_neighbour_took_every_consumer_of_their_bucket_still_sees_it() -> None:
    async def run() -> None:
        async with two() as (services, planner):
            store = KvStore(services, "routes", "team a")
            rows, _ = await store.load()
            rows.put("routes", ("booking",), {"use": "a.example"})
            await store.commit(rows, 7)
            assert await crowd(planner, store.bucket) == LIMIT
            changes = aiter(Watch(planner.connection, "routes", "team a").changes())
            seen = [await asyncio.wait_for(anext(changes), PATIENCE_S) for _ in range(3)]
            assert [one.state for one in seen if isinstance(one, Standing)] == ["catching-up", "live"]

    asyncio.run(run())


def test_services_may_do_everything_and_planners_only_what_is_listed() -> None:
    text = accounts(USERS)
    assert text.count('"permissions"') == 2
    allowed = permissions(USERS[-1])
    assert not [subject for subject in allowed["publish"] if subject in {">", "$JS.API.>", "$JS.>"}]
    assert allowed["publish"][-1] == "cardtrail.reports.team=20a.booking"
    heard = ["_INBOX_team=20a.>", "cardtrail.live.alive.*", "cardtrail.live.decisions.booking.>"]
    assert allowed["subscribe"] == heard
    assert accounts(()) == ""


def test_a_stranger_is_refused_at_the_door() -> None:
    async def run() -> None:
        async with two() as (services, _):
            url = services.connection.nc.connected_url
            assert url is not None
            with pytest.raises(Exception, match="Authorization Violation"):
                async with Bus(f"nats://127.0.0.1:{url.port}"):
                    pass

    asyncio.run(run())


def test_nobody_there_is_unreachable_not_a_traceback() -> None:
    async def run() -> None:
        with pytest.raises(BrokerUnreachable):
            async with Bus("nats://127.0.0.1:1", patience_s=0.3):
                pass

    asyncio.run(run())
