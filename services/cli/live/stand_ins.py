"""Who stands in for whom, by the routes; of an agent at an instant, by the facts that its routes are made of."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from cardtrail.projections.one_principal import OnePrincipal
from cardtrail.projections.projection import Row, Rows
from cardtrail.projections.routes import Routes
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.kv_read import read_table
from cardtrail.services.bus.past import facts_on, subjects_about
from cardtrail.services.cli.live.directory import Directory
from cardtrail.services.cli.outputs.stand_in import StandIn
from cardtrail.services.declare import AgentKey

_OF_LOCKS = tuple(f"cardtrail.events.*.*.*.{kind}.>" for kind in ("lockfile-pinned", "lockfile-released"))
_WORST = ("breaking", "review", "pending", "unknown", "compatible")
_PAIR = ("verdict", "action", "valid_from", "decision")
Locked = Collection[tuple[str, ...]]


def stand_ins(routes: Iterable[Row], locked: Locked = ()) -> tuple[StandIn, ...]:
    """Every candidate behind the first of a route, once for each workflow; those with a lock of their own (`locked`) left out."""
    found: dict[tuple[str, ...], StandIn] = {}
    for route in routes:
        first, *others = route["candidates"] or [{"agent": ""}]
        for one in others:
            of = (route["principal"], route["workflow"])
            if (*of, one["agent"]) not in locked:
                found.setdefault((*of, first["agent"], one["agent"]), _stand_in(route, first, one))
    return tuple(found[key] for key in sorted(found))


def own(locks: Iterable[Row]) -> Locked:
    """Principal, workflow and agent of the rows of `lockfile_status`."""
    return {(row["principal"], row["workflow"], row["agent"]) for row in locks}


def alone(routes: Iterable[Row]) -> Mapping[tuple[str, ...], tuple[StandIn, ...]]:
    """Locks by principal, workflow and agent, with all who should stand behind that agent and are stopped themselves.

    A lock that names nobody is none of them.
    """
    found: dict[tuple[str, ...], list[StandIn]] = {}
    for one in stand_ins(routes):
        found.setdefault((one.principal, one.workflow, one.agent), []).append(one)
    return {key: tuple(held) for key, held in found.items() if all(one.action == "stop" for one in held)}


def of_agent(found: Iterable[StandIn], names: Collection[str]) -> tuple[StandIn, ...]:
    """Where one agent stands in, by any of its names, worst first."""
    held = (one for one in found if one.watched in names or one.stands_in in names)
    return tuple(sorted(held, key=lambda one: (_WORST.index(one.verdict), one.workflow)))


def standing_in(known: Directory, found: Iterable[StandIn], key: AgentKey) -> tuple[StandIn, ...]:
    """Where an agent (name, principal) stands in, under whatever name a lock calls it."""
    agent, principal = key
    held = [one for one in found if one.principal == principal]
    return of_agent(held, {agent, *(one.stands_in for one in held if known.called(one.stands_in, principal) == agent)})


async def routes_now(bus: Bus, principals: Iterable[str]) -> list[Row]:
    """The rows of `routes` of these principals."""
    return [row for who in principals for row in (await read_table(bus, "routes", who, "routes"))[0].values()]


async def stood_in(bus: Bus, names: Collection[str], principal: str, through: int) -> tuple[StandIn, ...]:
    """Where an agent with these names stood in at a sequence: all locks up to there, and what was decided about it.

    Raises:
        BrokerUnreachable: ask again.
    """
    fold, rows = OnePrincipal(Routes(), principal), Rows()
    subjects = (*_OF_LOCKS, *(subject for name in names for subject in subjects_about(name)))
    async for stored in facts_on(bus, subjects, through):
        if not isinstance(stored, int):
            fold.apply(stored, rows)
    pairs = ((*key, name, one) for key, row in rows.table("route_parts").items() for name, one in row["pairs"].items())
    locked = {(*key, name) for *key, name, one in pairs if not one["stands_in"]}
    return of_agent(stand_ins(rows.table("routes").values(), locked), names)


def _stand_in(route: Row, first: Row, one: Row) -> StandIn:
    told: dict[str, Any] = {name: one[name] for name in _PAIR}
    told |= {name: route[name] for name in ("workflow", "principal", "owner")}
    told |= {"agent": first["agent"], "stands_in": one["agent"], "watched": one["watched"] or one["agent"]}
    return StandIn.model_validate(told | {"rules": tuple(one.get("rules", ()))})
