"""What a fold of a running service holds back, read from its bucket."""

from collections.abc import Iterable

from cardtrail.events.subjects import token
from cardtrail.projections.projection import Row
from cardtrail.services.bus.attempt import PARKED
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.kv_read import read_table
from cardtrail.services.cli.live.directory import Table
from cardtrail.services.compiler.observation import NAME as COMPILER
from cardtrail.services.decider.decision import NAME as DECIDER

_STATES = (COMPILER, DECIDER)


async def held(bus: Bus, fold: str) -> Table:
    """Its parked rows by agent, principal (both as subject tokens) and sequence, in that order.

    `routes/public` is a bucket of one principal, others keep one for all.
    """
    projection, _, principal = fold.partition("/")
    bucket = ("state", fold) if fold in _STATES else (projection, principal or "all")
    rows, _ = await read_table(bus, *bucket, PARKED)
    return {key: rows[key] for key in sorted(rows)}


async def held_of(bus: Bus, fold: str, names: Iterable[str], principals: Iterable[str]) -> list[Row]:
    """Those of them that are about an agent, under any of its names, as these principals see it."""
    agents, whose = {token(name) for name in names}, {token(one) for one in principals}
    return [row for key, row in (await held(bus, fold)).items() if key[0] in agents and key[1] in whose]
