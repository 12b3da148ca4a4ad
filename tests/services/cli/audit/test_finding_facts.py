"""What `explain` says where it is given no decision: what the fact is, which decision came of it, which workflows there are."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cardtrail.services.bus.bus import Bus
from tests.nats_server import SMALL, server
from tests.projections.facts import compiled, decided, full, lock, pinned, profile
from tests.projections.log import Log
from tests.services.cli.program import cardtrail


def log() -> Log:
    """Facts 1 and 2 lead to decision 4 about another agent's lock first; fact 7 to none."""
    told = Log()
    card = full(told, "a")
    made = compiled(told, card, profile())
    pinned(told, lock())
    decided(told, "compatible", "allow", causes=(made.fact.id,))
    decided(told, "compatible", "allow", agent="fares")
    full(told, "b")
    full(told, "c", "rates")
    return told


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    async def tell(where: str) -> None:
        async with Bus(where, streams=SMALL) as bus:
            await bus.tell([stored.fact for stored in log().facts])

    with server() as running:
        asyncio.run(tell(running.url))
        yield running.url


def refused(url: str, given: str, folder: Path) -> Any:
    done = cardtrail("explain", given, "--json", cwd=folder, NATS_URL=url, CARDTRAIL_DATA=str(folder))
    assert done.code == 2, done
    return done.json["error"]


@pytest.mark.parametrize(
    ("given", "message", "hint"),
    [
        ("2", "fact 2 is no decision: profile-compiled of pricing", "cardtrail explain 4: it rests on this fact"),
        ("1", "fact 1 is no decision: card-fetched of pricing", "cardtrail explain 4: the next decision about pricing"),
        ("7", "fact 7 is no decision: card-fetched of rates", "no decision came of it so far: cardtrail history rates"),
    ],
)
def test_a_fact_that_is_no_decision_leads_to_the_one_that_came_of_it(
    given: str, message: str, hint: str, url: str, tmp_path: Path
) -> None:
    told = refused(url, given, tmp_path)
    assert (told["code"], told["message"], told["hint"]) == ("no-decision", message, hint)


def test_so_it_does_by_the_beginning_of_its_id(url: str, tmp_path: Path) -> None:
    told = refused(url, log().facts[6].fact.id.hex[:20], tmp_path)
    assert (told["code"], told["message"]) == ("no-decision", "fact 7 is no decision: card-fetched of rates")


@pytest.mark.parametrize(("given", "offered"), [("trp", "did you mean trip?"), ("nope", "one of trip")])
def test_a_workflow_that_nobody_has_leads_to_those_that_there_are(
    given: str, offered: str, url: str, tmp_path: Path
) -> None:
    told = refused(url, given, tmp_path)
    assert (told["code"], told["message"]) == ("fact-unknown", f'"{given}": no such fact on the log')
    assert told["hint"].startswith(f"a workflow ({offered}),")
