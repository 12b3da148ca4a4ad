"""A generated log by agent: small by default, a day of 500 agents with CARDTRAIL_BIG=1."""

from functools import cache

from cardtrail.events import Stored
from tests.bench.generate import BIG, Generator

FACTS, AGENTS = (200_000, 500) if BIG else (20_000, 60)


@cache
def generated() -> dict[str, list[Stored]]:
    facts: dict[str, list[Stored]] = {}
    for stored in Generator(AGENTS).facts(FACTS):
        facts.setdefault(getattr(stored.fact.data, "agent", ""), []).append(stored)
    return facts
