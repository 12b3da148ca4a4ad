"""The harness of the journeys: a look is over when what the agent serves was seen by a look that counts."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from cardtrail.events import CardRefused
from cardtrail.events.canonical import raw_digest
from cardtrail.services.bus.kv_read import read_table
from cardtrail.services.bus.schedules import Due, schedule
from tests.agent_host import Page, Reply, Seen
from tests.journeys.tracked import WELL_KNOWN, Tracked, tracking
from tests.services.cli.cards import card, skill

HOST, AGENT = "pricing.partner.example", "pricing"
ENDPOINT = {"url": f"https://{HOST}/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}
SLOWLY_S = 2.0


def offers(mode: str) -> bytes:
    return json.dumps(card(supportedInterfaces=[ENDPOINT], skills=[skill(outputModes=[mode])])).encode()


OLD, NEW = offers("application/json"), offers("application/pdf")


def slowly(body: bytes) -> Reply:
    half = len(body) // 2
    return Reply(chunks=[body[:half], body[half:]], pause_s=SLOWLY_S / 2)


def one_by_one(*replies: Reply) -> Page:
    """Each request gets the next reply, the last one stays."""
    left: Iterator[Reply] = iter(replies[:-1])

    def answer(_seen: Seen) -> Reply:
        return next(left, replies[-1])

    return answer


async def begun(tracked: Tracked) -> None:
    """Begin a look of which nobody waits for the end; returns once it has asked."""
    asked = len(tracked.host.seen)
    await schedule(tracked.system.bus, [Due(what="refresh", due=datetime.now(UTC), agent=AGENT, host="other.example")])
    while True:
        if len(tracked.host.seen) > asked:
            return
        await asyncio.sleep(0.01)


async def known(tracked: Tracked) -> str:
    """The digest of the card that the tracker goes by."""
    rows, _ = await read_table(tracked.system.bus, "current_profile", "public", "current_profile")
    (row,) = rows.values()
    return str(row["card_digest"])


async def no_answer(tracked: Tracked) -> None:
    """The connection breaks off a few times before the card comes."""
    broken = Reply(raw=b"", ends="reset")
    tracked.host.serve(WELL_KNOWN, one_by_one(broken, broken, broken, broken, Reply(NEW)), host=HOST)


async def overtaken(tracked: Tracked) -> None:
    """A look begun long ago brings the new card after a younger look has brought the old one: it is too late to count."""
    tracked.host.serve(WELL_KNOWN, one_by_one(slowly(NEW), Reply(OLD)), host=HOST)
    await begun(tracked)
    before = (await tracked.system.bus.info()).last
    await begun(tracked)
    await tracked.observed(AGENT, before)
    tracked.host.serve(WELL_KNOWN, slowly(NEW), host=HOST)


@pytest.mark.parametrize("happens", [no_answer, overtaken])
def test_after_a_look_the_tracker_goes_by_what_is_served(
    tmp_path: Path, happens: Callable[[Tracked], Awaitable[None]]
) -> None:
    async def story() -> None:
        async with tracking(tmp_path, {AGENT: HOST}) as tracked:
            tracked.publish(HOST, OLD)
            await tracked.look(AGENT)
            assert await known(tracked) == raw_digest(OLD)
            tracked.publish(HOST, NEW)
            await happens(tracked)
            seen = await tracked.look(AGENT)
            assert not isinstance(seen.fact.data, CardRefused)
            assert await known(tracked) == raw_digest(NEW)

    asyncio.run(asyncio.wait_for(story(), 120))
