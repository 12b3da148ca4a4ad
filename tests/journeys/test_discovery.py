"""Discovery on real sockets: refusals that pile up, work shared by fetchers, no herd, the demo."""

import asyncio
import json
import os
import subprocess
import sys
import time
from collections import defaultdict
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest

from cardtrail.events import AgentTracked, CardFetched, CardRefused
from cardtrail.services.bus.kv_read import read_table
from cardtrail.services.bus.schedules import Due, schedule
from cardtrail.services.fetcher.pace import FORCED
from cardtrail.services.telling import operator_fact
from tests.agent_host import AgentHost, Reply, Seen
from tests.journeys.discovery import LOCAL, Scene, card, scene
from tests.streams import PATIENCE_S


def test_many_refusals_of_a_kind_are_told_in_the_health_answer(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    async def journey() -> None:
        with AgentHost("rates.example") as host:
            blocks = [f'[agents.a{n}]\ncard_url = "{host.url(f"/{n}.json")}"\n{LOCAL}' for n in range(12)]
            for n in range(12):
                host.serve(f"/{n}.json", Reply(b"<html>", headers={"Content-Type": "text/html"}))
            async with scene(tmp_path, host, "[limits]\nper_host = 16\n" + "".join(blocks)) as held:

                async def alarmed() -> list[str]:
                    return list((await held.health("fetcher"))["alarms"])

                (alarm,) = await held.until(alarmed)
                assert "looks refused (fetch: content-type)" in alarm

    asyncio.run(journey())
    assert capfd.readouterr().err.count("looks refused (fetch: content-type)") == 1


def test_a_watched_host_whose_certificate_ends_soon_is_an_alarm(tmp_path: Path) -> None:
    async def journey() -> None:
        end = datetime.now(UTC) + timedelta(days=5)
        with AgentHost("rates.example", not_after=end) as host:
            host.serve("/a.json", Reply(b"{}", headers={"Content-Type": "application/json"}))
            block = f'[agents.rates]\ncard_url = "{host.url("/a.json")}"\n{LOCAL}'
            async with scene(tmp_path, host, block) as held:

                async def alarmed() -> list[str]:
                    return list((await held.health("fetcher"))["alarms"])

                (alarm,) = await held.until(alarmed)
                assert alarm.startswith("the certificate of ")
                assert f"{end:%Y-%m-%d}" in alarm

    asyncio.run(journey())


def test_a_card_larger_than_any_may_be_is_refused_and_the_fetcher_goes_on(tmp_path: Path) -> None:
    async def journey() -> None:
        with AgentHost("rates.example") as host:
            host.serve("/.well-known/agent-card.json", card(host, "rates.example"))
            large = card(host, "rates.example", description="x" * 600_000)
            (tmp_path / "large.json").write_text(json.dumps(large))
            blocks = f'[agents.large]\nfile = "large.json"\n[agents.rates]\ncard_url = "{host.url()}"\n{LOCAL}'
            async with scene(tmp_path, host, blocks) as held:
                (why,) = await held.look("large")
                assert isinstance(why, CardRefused)
                assert (why.stage, why.reason) == ("parse", "too-large")
                await held.until(lambda: held.profile("rates"))
                assert (await held.health("fetcher"))["alarms"] == []

    asyncio.run(journey())


def test_a_card_that_makes_too_much_of_itself_is_known_shortened_and_holds_nothing_back(tmp_path: Path) -> None:
    """What a card says of itself goes into a fact about its profile, which has a size."""
    long = "x" * 400_000
    told = {"name": long, "version": long, "provider": {"organization": long, "url": "https://rates.example"}}

    async def journey() -> None:
        with AgentHost("rates.example") as host:
            for member, value in told.items():
                host.serve(f"/{member}.json", card(host, "rates.example", **{member: value}))
            blocks = [f'[agents.{one}]\ncard_url = "{host.url(f"/{one}.json")}"\n{LOCAL}' for one in told]
            async with scene(tmp_path, host, "".join(blocks)) as held:
                for member in told:
                    row = await held.until(lambda member=member: held.profile(member))
                    assert 100 < len(row["identity"][member]) < 1_000
                    host.serve(f"/{member}.json", card(host, "rates.example", version="1.0.1"))
                    await held.look(member)
                    assert (await held.profile(member))["identity"]["version"] == "1.0.1"

    asyncio.run(journey())


def test_a_policy_that_is_made_stricter_is_felt_although_the_card_is_the_same(tmp_path: Path) -> None:
    async def journey() -> None:
        with AgentHost("rates.example", "other.example") as host:
            host.serve("/.well-known/agent-card.json", card(host, "other.example"), host="rates.example")
            block = f'[agents.rates]\ncard_url = "{host.url()}"\n{LOCAL}'
            async with scene(tmp_path, host, block) as held:
                await held.until(lambda: held.profile("rates"))
                (same,) = await held.look("rates")
                assert isinstance(same, CardFetched)
                assert same.status == 304
                (told,) = await held.told(AgentTracked)
                strict = told.endpoints.model_copy(update={"same_origin_only": True})
                changed = told.model_copy(update={"endpoints": strict})
                await held.system.bus.tell([operator_fact(changed, "test")])

                async def refused() -> list[CardRefused]:
                    return await held.told(CardRefused)

                (why,) = await held.until(refused)
                assert (why.stage, why.reason) == ("policy", "cross-origin-interface")
                await held.settled()
                assert await held.profile("rates"), "the last good card stays"

    asyncio.run(journey())


def test_two_fetchers_share_the_work_each_look_is_one_and_one_can_be_killed(tmp_path: Path) -> None:
    async def journey() -> None:
        with AgentHost("rates.example") as host:
            names = [f"a{n}" for n in range(24)]
            blocks = [f'[agents.{n}]\ncard_url = "{host.url(f"/{n}.json")}"\n{LOCAL}' for n in names]
            for name in names:
                host.serve(f"/{name}.json", card(host, "rates.example", name=name))
            limits = "[limits]\nper_host = 2\nfetchers = 2\n"
            async with scene(tmp_path, host, limits + "".join(blocks)) as held:
                await held.until(lambda: all_seen(held, names, 1))
                second = another(tmp_path, held, "second")
                try:
                    await one_each(held, host, names)
                    held.system.children.kill("fetcher")
                    await one_each(held, host, names, at_least=True)
                finally:
                    second.kill()
                    second.wait()

    asyncio.run(journey())


async def all_seen(held: Scene, names: list[str], times: int) -> bool:
    told = [event.agent for event in await held.told(CardFetched)]
    return all(told.count(name) >= times for name in names)


async def one_each(held: Scene, host: AgentHost, names: list[str], *, at_least: bool = False) -> None:
    before, told = len(host.seen), len(await held.told(CardFetched))
    now = (await held.system.bus.info()).at
    jobs = [Due(what="refresh", due=now, agent=name, fingerprint=FORCED, host="rates.example") for name in names]
    await schedule(held.system.bus, jobs)

    async def done() -> bool:
        return len({event.agent for event in (await held.told(CardFetched))[told:]}) == len(names)

    await held.until(done)
    asked = [seen.path for seen in host.seen[before:]]
    assert set(asked) == {f"/{name}.json" for name in names}
    assert at_least or len(asked) == len(names), "no look was done twice"


def another(folder: Path, held: Scene, name: str) -> subprocess.Popen[bytes]:
    """One more fetcher, with a folder of its own, as another container would have it."""
    environment = {**os.environ, "NATS_URL": held.system.url, "CARDTRAIL_DATA": str(folder / name)}
    command = (
        sys.executable,
        "-m",
        "cardtrail.services.cli",
        "run",
        "fetcher",
        "--config",
        str(folder / "cardtrail.toml"),
    )
    return subprocess.Popen(command, env=environment)


def test_some_hundred_new_agents_are_no_herd(tmp_path: Path) -> None:
    """Hosts are asked at their own pace and by so many at once, though all the agents are due at the same moment."""

    async def journey() -> None:
        names = [f"h{n}.example" for n in range(30)]
        times: dict[str, list[float]] = defaultdict(list)
        with AgentHost(*names) as host:
            entries = [{"url": host.url(f"/{n}.json", name), "id": f"{name}-{n}"} for name in names for n in range(8)]
            (tmp_path / "list.json").write_text(json.dumps(entries))

            def page(seen: Seen) -> Reply:
                times[seen.host].append(time.monotonic())
                return Reply(card(host, seen.host.partition(":")[0]))

            for n in range(8):
                host.serve(f"/{n}.json", page)
            settings = f'[registries.own]\nsource = "list.json"\n{LOCAL}'
            async with scene(tmp_path, host, settings) as held:

                async def seen() -> bool:
                    rows, _ = await read_table(held.system.bus, "current_profile", "public", "current_profile")
                    return len(rows) == len(entries)

                await held.until(seen)
        assert all(len(asked) == 8 for asked in times.values())
        for asked in times.values():
            assert asked[-1] - asked[0] >= 7 * 0.25 * 0.8, "one host is asked at four a second"
        every = sorted(at for asked in times.values() for at in asked)
        assert max(later - at for at, later in pairwise(every)) < 5

    asyncio.run(journey())


def test_the_procurement_example_ends_with_one_request_answered_304() -> None:
    environment = {name: value for name, value in os.environ.items() if name != "NATS_URL"}
    done = subprocess.run(
        [sys.executable, "-m", "cardtrail.services.cli", "demo", "procurement"],
        env=environment,
        capture_output=True,
        timeout=2 * PATIENCE_S,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for line in (
        "Hard filters: 1 of 3 pass",
        "security: token-host-untrusted (convert)  oauth: tokenUrl at tokens.elsewhere.example",
        "interface: no-shared-interface  offers GRPC 1.0",
        "1  ✓ fx-desk  convert",
        "skills    bulk-conversion, convert",
    ):
        assert line in done.stdout
    last = done.stdout.partition("3. The next invoice")[2]
    assert last.count("sent ") == 1
    assert "GET card to fx.corp.example: 304" in last
