"""Who is watched, how it stands, and who depends on it."""

from collections.abc import Iterator
from datetime import datetime

from cardtrail.events.agent_tracked import AgentTracked
from cardtrail.events.fact import instant
from cardtrail.projections.projection import Row
from cardtrail.services.bus.kv_read import read_table
from cardtrail.services.cli.formats.words import counted
from cardtrail.services.cli.live.directory import Directory, Table, directory
from cardtrail.services.cli.live.heard import LEVELS
from cardtrail.services.cli.live.stand_ins import routes_now, stand_ins, standing_in
from cardtrail.services.cli.live.standing import stands
from cardtrail.services.cli.live.status_text import agent as named
from cardtrail.services.cli.live.tracker import Tracker
from cardtrail.services.cli.live.when import age, span
from cardtrail.services.cli.outputs.agents import AgentsOutput, WatchedAgent
from cardtrail.services.cli.outputs.stand_in import StandIn
from cardtrail.services.cli.shell.console import Style
from cardtrail.services.cli.shell.text import plain

_HEADER = ("AGENT", "VERSION", "STATE", "SEEN", "EVERY", "LOCKS", "WHERE")


async def agents(tracker: Tracker, text: str, *, everything: bool) -> AgentsOutput:
    """All that are watched, with `everything` also those that once were; `text` must stand in name, place or provider."""
    known = await directory(tracker.bus)
    profiles: Table = {}
    for principal in known.principals():
        rows, _ = await read_table(tracker.bus, "current_profile", principal, "current_profile")
        profiles |= rows
    others = stand_ins(
        await routes_now(tracker.bus, known.principals()), {(key[2], *key[:2]) for key in known.told.locks}
    )
    found = [_watched(known, tracker, event, profiles, others) for event in known.told.agents.values()]
    asked = [one for one in found if (one.watched or everything) and _matches(one, text.lower())]
    total = sum(one.watched for one in found)
    ordered = tuple(sorted(asked, key=lambda one: (one.agent, one.principal)))
    return AgentsOutput(format="cardtrail.agents/1", at=instant(tracker.now()), total=total, agents=ordered)


def lines(found: AgentsOutput, style: Style) -> Iterator[str]:
    """A row each, and how many there are."""
    now = datetime.fromisoformat(found.at)
    if found.agents:
        yield from style.table(_HEADER, [_row(one, style, now) for one in found.agents])
    shown = len(found.agents)
    yield counted(found.total, "agent") if shown == found.total else f"{shown} shown, {found.total} watched"


def _watched(
    known: Directory, tracker: Tracker, event: AgentTracked, profiles: Table, others: tuple[StandIn, ...]
) -> WatchedAgent:
    key = (event.agent, event.principal)
    fresh: Row = known.freshness.get((event.principal, event.agent)) or {}
    profile = profiles.get((event.principal, event.agent))
    trouble = fresh.get("trouble") or {}
    names = known.names(event.agent)
    return WatchedAgent(
        agent=event.agent,
        principal=event.principal,
        watched=known.watched(key) is not None,
        target=event.target,
        location=fresh.get("location", ""),
        source_kind=event.source_kind,
        interval_s=event.interval_s,
        provider=event.provider,
        version=profile["identity"]["version"] if profile else "",
        usable=profile["usable"] if profile else None,
        heard=stands(known, tracker, event.principal, event.agent),
        seen=fresh.get("last_success"),
        problem=f"{trouble['stage']}: {trouble['reason']}" if trouble else "",
        problem_since=trouble.get("since"),
        locks=tuple(sorted(lock[0] for lock in known.told.locks if lock[1] in names and lock[2] == event.principal)),
        stands_in=tuple(one.workflow for one in standing_in(known, others, key)),
    )


def _matches(one: WatchedAgent, text: str) -> bool:
    return any(text in place.lower() for place in (one.agent, one.target.value, one.location, one.provider))


def _row(one: WatchedAgent, style: Style, now: datetime) -> tuple[str, ...]:
    state = f"{one.heard} ({plain(one.problem)})" if one.problem else one.heard
    return (
        named(one.agent, one.principal),
        plain(one.version) or "-",
        style.marked(LEVELS[one.heard], state) if one.watched else style.marked("note", "not watched"),
        age(one.seen, now, terminal=bool(style.columns)),
        span(one.interval_s),
        f"{len(one.locks)}{f' +{len(one.stands_in)} as fallback' if one.stands_in else ''}",
        plain(one.location or one.target.value),
    )
