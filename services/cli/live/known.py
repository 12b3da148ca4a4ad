"""What is known of one agent: the rows of its projections, from the buckets now or folded from the log as of an instant."""

from datetime import datetime
from typing import Any

from cardtrail.events import AgentTracked, AgentUntracked, CardFetched
from cardtrail.events.fact import instant
from cardtrail.events.model.finding import Diagnostic
from cardtrail.events.model.policy import Policy
from cardtrail.projections.current_profile import CurrentProfile
from cardtrail.projections.lockfile_status import LockfileStatus
from cardtrail.projections.one_principal import OnePrincipal
from cardtrail.projections.projection import Fold, Rows
from cardtrail.services.bus.kv_read import read_table
from cardtrail.services.cli.live.directory import Directory, directory
from cardtrail.services.cli.live.heard import heard
from cardtrail.services.cli.live.past import facts_of, names_ever, through_at
from cardtrail.services.cli.live.stand_ins import own, routes_now, stand_ins, standing_in, stood_in
from cardtrail.services.cli.live.tracker import Tracker
from cardtrail.services.cli.outputs.show import ShowOutput
from cardtrail.services.cli.outputs.stand_in import StandIn
from cardtrail.services.cli.outputs.status import Standing, standing
from cardtrail.services.declare import AgentKey

_BUCKETS = {
    "current_profile": ("freshness", "current_profile", "evidence", "calls"),
    "lockfile_status": ("lockfile_status",),
}


async def show(tracker: Tracker, given: str, principal: str | None, at: datetime | None) -> ShowOutput:
    """All of it.

    Raises:
        UsageError: `agent-unknown`, `principal-unknown`.
    """
    known = await directory(tracker.bus)
    key = known.agent(given, principal)
    if at is None:
        rows, through = await _now(tracker, key[1])
        tracked = known.watched(key)
    else:
        through = await through_at(tracker, at)
        rows, tracked = await _then(tracker, await names_ever(tracker.bus, known, key[0]), key, through)
    found = _output(tracker, known, key, rows, tracked, through=through, at=at)
    more = {"findings": await _findings(tracker, found.freshness)}
    return found.model_copy(
        update=more | {"stands_in": await _stands_in(tracker, known, key, rows, then=through if at else None)}
    )


async def _stands_in(
    tracker: Tracker, known: Directory, key: AgentKey, rows: Rows, *, then: int | None
) -> tuple[StandIn, ...]:
    """In whose place the agent stands without a lock of its own: now, or at a sequence."""
    if then is None:
        others = stand_ins(await routes_now(tracker.bus, key[1:]), own(rows.table("lockfile_status").values()))
        return standing_in(known, others, key)
    return await stood_in(tracker.bus, await names_ever(tracker.bus, known, key[0]), key[1], then)


async def _findings(tracker: Tracker, fresh: dict[str, Any] | None) -> tuple[Diagnostic, ...]:
    """What was found about the last answer that came in full."""
    full = await tracker.bus.at(fresh["full"]) if fresh and fresh["full"] else None
    return full.fact.data.findings if full is not None and isinstance(full.fact.data, CardFetched) else ()


async def _now(tracker: Tracker, principal: str) -> tuple[Rows, int]:
    tables, positions = {}, []
    for bucket, names in _BUCKETS.items():
        for name in names:
            tables[name], position = await read_table(tracker.bus, bucket, principal, name)
            positions.append(position)
    return Rows(tables), min(positions)


async def _then(
    tracker: Tracker, names: tuple[str, ...], key: AgentKey, through: int
) -> tuple[Rows, AgentTracked | None]:
    """The same folds over the agent's facts, stopped there; and how it was tracked then."""
    folds: tuple[Fold, ...] = (OnePrincipal(CurrentProfile(), key[1]), OnePrincipal(LockfileStatus(), key[1]))
    held = [(fold, Rows()) for fold in folds]
    tracked: AgentTracked | None = None
    async for stored in facts_of(tracker, names, through):
        for fold, rows in held:
            rows.mark()
            fold.apply(stored, rows)
        event = stored.fact.data
        if isinstance(event, AgentTracked | AgentUntracked) and event.principal == key[1]:
            tracked = event if isinstance(event, AgentTracked) else None
    tables = {name: dict(rows.table(name)) for (fold, rows) in held for name in _BUCKETS[fold.name]}
    return Rows(tables), tracked


def _output(  # noqa: PLR0913 — all that is known
    tracker: Tracker,
    known: Directory,
    key: AgentKey,
    rows: Rows,
    tracked: AgentTracked | None,
    *,
    through: int,
    at: datetime | None,
) -> ShowOutput:
    agent, principal = key
    now = at or tracker.now()
    patience = known.told.policy.policy if known.told.policy else Policy()
    fresh, profile = rows.get("freshness", (principal, agent)), rows.get("current_profile", (principal, agent)) or {}
    stands, names = heard(fresh, patience.staleness_s, now), known.names(agent)
    of_lock: Standing = stands if tracked is not None else "unwatched"
    locks = [row for lock, row in rows.table("lockfile_status").items() if lock[2] in names]
    return ShowOutput(
        format="cardtrail.show/1",
        agent=agent,
        names=names[1:],
        principal=principal,
        at=instant(now),
        as_of=instant(at) if at else None,
        through=through,
        watched=tracked is not None,
        target=tracked.target if tracked else None,
        heard=stands,
        freshness=fresh,
        profile=profile.get("profile"),
        profile_digest=profile.get("profile_digest", ""),
        last_good=_last_good(profile),
        compiled_at=profile.get("compiled_at"),
        identity=profile.get("identity"),
        findings=(),
        evidence=tuple((rows.get("evidence", (principal, agent)) or {"claims": []})["claims"]),
        calls=(rows.get("calls", (principal, agent)) or {"operations": {}})["operations"],
        locks=tuple(standing(row, of_lock, fresh["last_success"] if fresh else None) for row in locks),
    )


def _last_good(profile: dict[str, Any]) -> str:
    good = profile.get("last_good")
    return str(good["profile_digest"]) if good else ""
