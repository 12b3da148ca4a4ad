"""`impact` on a real log that no projector has read: a lock that was told counts, and the lag is said."""

import asyncio
from pathlib import Path

from tests.nats_server import fresh_bus
from tests.services.cli.program import Done, child

EXAMPLES = Path(__file__).parents[4] / "examples"
CARD, NEXT = EXAMPLES / "card.json", EXAMPLES / "next.json"
PIN = ("--agent", "pricing", "--workflow", "trip-planner", "--skill", "itinerary-pricing")


async def _asked(folder: Path) -> tuple[Done, Done]:
    """The agent and the lock are on the log, and nothing else is at work: what is said of the next card, and of its own."""
    lock = folder / "trip.lock.json"
    async with fresh_bus() as (_, server):

        async def say(*words: str | Path) -> Done:
            return await asyncio.to_thread(child, *words, NATS_URL=server.url, CARDTRAIL_DATA=str(folder))

        for words in (
            ("pin", CARD, *PIN, "-o", lock),
            ("track", CARD, "--name", "pricing"),
            ("track", "--lock", lock),
        ):
            done = await say(*words)
            assert done.code == 0, done.err
        gate = ("--fail-on", "breaking")
        return await asyncio.gather(
            say("impact", "pricing", "--card", NEXT, *gate, "--json"), say("impact", "pricing", "--card", CARD, *gate)
        )


def test_a_lock_that_nobody_has_read_yet_is_judged_and_no_gate_is_passed_while_the_log_is_ahead(tmp_path: Path) -> None:
    next_card, its_own = asyncio.run(_asked(tmp_path))
    (one,) = next_card.json["dependants"]
    assert (one["workflow"], one["verdict"], one["with_card"]["verdict"]) == ("trip-planner", "pending", "breaking")
    assert next_card.json["lag"]["facts"] >= 2
    assert next_card.json["stopping"] == 1
    assert (next_card.code, its_own.code) == (1, 1)
    rows = its_own.out.splitlines()
    assert rows[1].split("\t")[-2:] == ["no decision stands", "✓ compatible"]
    assert "facts)" in rows[-2]
    assert "the log is ahead" in rows[-1]
