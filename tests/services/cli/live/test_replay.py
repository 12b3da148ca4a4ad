"""`replay` on a log whose projector does not run: what is behind or spoilt is said, and put right where that is asked for."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.embedded import EmbeddedServer
from cardtrail.services.bus.kv_store import KvStore
from tests.nats_server import SMALL, server
from tests.projections.facts import compiled, decided, full, lock, pinned, profile
from tests.projections.log import Log
from tests.services.cli.program import Done, cardtrail

NAME = "lockfile_status"


@pytest.fixture
def url() -> Iterator[str]:
    with server() as running:
        asyncio.run(tell(running.url))
        yield running.url


async def tell(url: str) -> None:
    log = Log()
    log.say("agent-tracked", target={"kind": "domain", "value": "pricing.partner.example"})
    compiled(log, full(log, "a"), profile())
    pinned(log, lock())
    decided(log, "review", "probe", "agent-version-changed")
    async with Bus(url, streams=SMALL) as bus:
        await bus.tell([stored.fact for stored in log.facts])


def test_what_a_stopped_tracker_has_left_is_put_right_without_it(tmp_path: Path) -> None:
    data = tmp_path / "cardtrail-data"
    with EmbeddedServer(data / "nats") as running:
        asyncio.run(tell(running.url))
    done = cardtrail("replay", "--projection", NAME, "--repair", "--json", cwd=tmp_path)
    (found,) = done.json["results"]
    assert (done.code, found["repaired"], found["facts"]) == (0, True, 5)
    assert not (data / "endpoint").exists()
    missing = cardtrail("replay", "--repair", "--json", cwd=tmp_path, CARDTRAIL_DATA=str(tmp_path / "nothing"))
    assert (missing.code, (tmp_path / "nothing").exists()) == (4, False)


def replay(url: str, folder: Path, *words: str) -> Done:
    return cardtrail("replay", "--projection", NAME, "--json", *words, cwd=folder, NATS_URL=url)


def spoil(url: str) -> None:
    async def write() -> None:
        async with Bus(url) as bus:
            store = KvStore(bus, NAME, "public")
            rows, position = await store.load()
            rows.put(NAME, ("public", "ghost", "pricing"), {"verdict": "breaking"})
            await store.commit(rows, position)

    asyncio.run(write())


def test_what_is_behind_is_said_and_caught_up_where_asked(url: str, tmp_path: Path) -> None:
    (found,) = replay(url, tmp_path).json["results"]
    assert (found["same"], found["facts"], found["behind"]) == (True, 0, 5)
    (found,) = replay(url, tmp_path, "--repair").json["results"]
    assert (found["repaired"], found["facts"], found["behind"]) == (True, 5, 0)
    (found,) = replay(url, tmp_path, "--repair").json["results"]
    assert (found["repaired"], found["same"], found["facts"]) == (False, True, 5)
    status = cardtrail("status", "--json", cwd=tmp_path, NATS_URL=url).json
    assert [(row["verdict"], row["open"]) for row in status["locks"]] == [("review", 1)]


def test_a_difference_fails_and_names_the_row(url: str, tmp_path: Path) -> None:
    replay(url, tmp_path, "--repair")
    spoil(url)
    done = replay(url, tmp_path)
    (found,) = done.json["results"]
    assert (done.code, found["same"], found["first_difference"]) == (1, False, f"{NAME} public / ghost / pricing")
    done = replay(url, tmp_path, "--repair")
    assert (done.code, done.json["results"][0]["changed"]) == (0, 1)
    assert replay(url, tmp_path).code == 0


def test_the_archive_of_nobody_is_not_known(url: str, tmp_path: Path) -> None:
    replay(url, tmp_path, "--repair")
    done = cardtrail("replay", "--principal", "public", cwd=tmp_path, NATS_URL=url)
    assert done.code == 0
    assert "? not known  duckdb: " in done.out
    named = cardtrail("replay", "--projection", "duckdb", "--json", cwd=tmp_path, NATS_URL=url)
    assert (named.code, named.json["error"]["exit"]) == (4, 4)


def test_the_archive_is_grown_where_the_settings_keep_it(url: str, tmp_path: Path) -> None:
    done = cardtrail("replay", "--projection", "duckdb", "--repair", "--json", cwd=tmp_path, NATS_URL=url)
    assert done.json["results"][0]["repaired"]
    assert list((tmp_path / "cardtrail-data" / "duckdb").glob("generation-*.duckdb"))


def test_a_projection_that_is_none_is_refused_with_a_near_name(url: str, tmp_path: Path) -> None:
    done = cardtrail("replay", "--projection", "lockfile_stats", "--json", cwd=tmp_path, NATS_URL=url)
    assert (done.code, done.json["error"]["hint"]) == (2, "did you mean lockfile_status?")
