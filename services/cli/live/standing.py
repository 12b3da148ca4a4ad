"""Where every lock stands, read from the buckets of all principals; nothing is judged here."""

import asyncio
from collections import Counter
from collections.abc import Mapping
from typing import Any, get_args

from cardtrail.events.errors import Unreachable
from cardtrail.events.fact import instant
from cardtrail.events.model.policy import Policy
from cardtrail.projections.projection import Row
from cardtrail.services.bus.accounts import PLANNER_BUCKETS
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.kv_read import read_position, read_table
from cardtrail.services.bus.questions import ask
from cardtrail.services.cli.live.checks.services import troubles
from cardtrail.services.cli.live.directory import Directory, Table, directory
from cardtrail.services.cli.live.heard import heard
from cardtrail.services.cli.live.stand_ins import alone, routes_now
from cardtrail.services.cli.live.tracker import Tracker
from cardtrail.services.cli.live.turns import turning
from cardtrail.services.cli.outputs.status import (
    AgentCounts,
    Alone,
    Heard,
    Lag,
    LockStanding,
    Standing,
    StatusOutput,
    standing,
)
from cardtrail.services.data_folder import is_audited
from cardtrail.services.planner.pulse import PATH
from cardtrail.services.service import AUDITING, HEALTH
from cardtrail.services.system import is_starting

_HEALTH_S = 2.0

ORDER = ("breaking", "review", "pending", "compatible")


async def status(tracker: Tracker, workflow: str | None = None) -> StatusOutput:
    """All locks, or those of one workflow; the counts are of everything that is watched.

    Raises:
        UsageError: `workflow-unknown`.
    """
    known = await directory(tracker.bus)
    chosen = known.workflow(workflow) if workflow else None
    position = await _slowest(tracker.bus, known)
    locks, _ = await lock_rows(tracker.bus, known)
    asked = {key: row for key, row in locks.items() if chosen in {None, row["workflow"]}}
    found = [standing(row, _stands(known, tracker, row), _card_at(known, key)) for key, row in asked.items()]
    without = alone(await routes_now(tracker.bus, known.principals()))
    services = AUDITING if is_audited(tracker.settings.broker.data) else PATH
    starting, told = await is_starting(tracker.bus), await on_the_way(tracker, services)
    return StatusOutput(
        format="cardtrail.status/1",
        at=instant(tracker.now()),
        locks=tuple(sorted(found, key=_worst_first)),
        stopped=sum(lock.action == "stop" for lock in found),
        agents=_counts(known, tracker),
        lag=await lag(tracker, position),
        alone=tuple(
            Alone(principal=who, workflow=flow, agent=agent, behind=behind)
            for (who, flow, agent), behind in sorted(without.items())
            if chosen in {None, flow}
        ),
        turning=await turning(tracker, known, asked),
        troubles=tuple(one for name, health in told.items() for one in troubles(name, health, starting=starting)),
    )


async def on_the_way(tracker: Tracker, services: tuple[str, ...] = PATH) -> dict[str, Mapping[str, Any] | None]:
    """What the services through which every change must pass say of themselves; None where one does not answer."""

    async def asked(service: str) -> dict[str, Any] | None:
        try:
            return await ask(tracker.bus, f"{HEALTH}.{service}", {}, within_s=_HEALTH_S)
        except Unreachable:
            return None

    return dict(zip(services, await asyncio.gather(*map(asked, services)), strict=True))


async def _slowest(bus: Bus, known: Directory) -> int:
    """The sequence that every bucket stands for: a planner's routes may be behind where the locks are not."""
    every = [(name, principal) for principal in known.principals() for name in PLANNER_BUCKETS]
    return min([await read_position(bus, name, principal) for name, principal in every])


async def lock_rows(bus: Bus, known: Directory) -> tuple[Table, int]:
    """The rows of `lockfile_status` of all principals, and the sequence that the slowest bucket stands for."""
    rows: Table = {}
    positions = []
    for principal in known.principals():
        found, position = await read_table(bus, "lockfile_status", principal, "lockfile_status")
        rows |= found
        positions.append(position)
    return rows, min(positions)


def stands(known: Directory, tracker: Tracker, principal: str, agent: str) -> Heard:
    """How the agent stands, under whatever name a lock calls it."""
    held = known.told.policy
    patience = (held.policy if held else Policy()).staleness_s
    return heard(known.freshness.get((principal, known.called(agent, principal))), patience, tracker.now())


def _stands(known: Directory, tracker: Tracker, row: Row) -> Standing:
    """The same of the agent that a lock names, which somebody may have ceased to watch."""
    agent, principal = known.called(row["agent"], row["principal"]), row["principal"]
    return stands(known, tracker, principal, agent) if known.watched((agent, principal)) else "unwatched"


async def lag(tracker: Tracker, position: int) -> Lag:
    """How far a position is behind the log as it was when we came."""
    if position >= tracker.log.end:
        return Lag(facts=0, seconds=0.0)
    waits = await tracker.bus.raw(position + 1)
    late = (tracker.now() - waits[1]).total_seconds() if waits else 0.0
    return Lag(facts=tracker.log.end - position, seconds=round(max(late, 0.0), 1))


def _card_at(known: Directory, key: tuple[str, ...]) -> str | None:
    principal, _, agent = key
    row = known.freshness.get((principal, known.called(agent, principal)))
    return row["last_success"] if row else None


def _counts(known: Directory, tracker: Tracker) -> AgentCounts:
    watched = [key for key, gone in known.told.gone.items() if not gone]
    found = Counter(stands(known, tracker, principal, agent) for agent, principal in watched)
    return AgentCounts(total=len(watched), **{word: found[word] for word in get_args(Heard)})


def _worst_first(lock: LockStanding) -> tuple[int, str, str, str]:
    return ORDER.index(lock.verdict), lock.workflow, lock.agent, lock.principal
