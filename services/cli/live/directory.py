"""Who is meant: agents by the operator's name or by where they were found, workflows by their locks; near names otherwise."""

from collections.abc import Iterable
from functools import cached_property
from urllib.parse import urlsplit

from cardtrail.events import AgentTracked, CardFetched
from cardtrail.events.errors import UsageError
from cardtrail.events.fact import PUBLIC
from cardtrail.projections.projection import Key, Row, Rows
from cardtrail.services import places
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.kv_read import read_table
from cardtrail.services.cli.shell.near import near
from cardtrail.services.declare import AgentKey
from cardtrail.services.declared import Declared, declared

Table = dict[Key, Row]


class Directory:
    """Everybody the log speaks of. `freshness` has the rows of all principals by (principal, agent)."""

    def __init__(self, told: Declared, freshness: Table) -> None:
        """Learn names from what was declared and places from what answered."""
        self.told, self.freshness = told, freshness
        self._agents = {key[0] for key in told.agents}
        self._rows = Rows()
        for event in told.agents.values():
            places.learn(self._rows, event)
            location = (freshness.get((event.principal, event.agent)) or {}).get("location", "")
            if location:
                found = CardFetched(agent=event.agent, principal=event.principal, location=location)
                places.learn(self._rows, found)

    @cached_property
    def locked(self) -> frozenset[tuple[str, str]]:
        """The names that locks give, to their own agent and to those that stand in, each with the principal."""
        return frozenset(
            (name, key[2])
            for key, pin in self.told.locks.items()
            for name in (key[1], *(one.agent for one in pin.lockfile.fallback))
        )

    @cached_property
    def _known(self) -> set[str]:
        return self._agents | {name for name, _ in self.locked}

    def principals(self) -> tuple[str, ...]:
        """Everybody with an agent or a lock, `public` first."""
        others = {key[1] for key in self.told.agents} | {key[2] for key in self.told.locks}
        return (PUBLIC, *sorted(others - {PUBLIC}))

    def agent(self, given: str, principal: str | None = None) -> AgentKey:
        """The agent that is meant, and for whom: as told, else the only principal that has it, else `public`.

        Raises:
            UsageError: `agent-unknown`, with near names; `principal-unknown`, that principal does not have it.
        """
        names = self._named(given)
        if len(names) != 1:
            raise self._unknown(given, names)
        (name,) = names
        having = {key[1] for key in self.told.agents if key[0] == name}
        having |= {who for called, who in self.locked if called == name}
        chosen = principal or (next(iter(having)) if len(having) == 1 else PUBLIC)
        if chosen not in having:
            hint = f"--principal: one of {', '.join(sorted(having))}"
            raise UsageError("principal-unknown", f'"{given}" is not tracked for "{chosen}"', hint=hint)
        return name, chosen

    def names(self, agent: str) -> tuple[str, ...]:
        """The agent's name, and what the locks that name it, as their own or to stand in, call it."""
        others = {name for name, principal in self.locked if self.called(name, principal) == agent}
        return (agent, *sorted(others - {agent}))

    def called(self, name: str, principal: str) -> str:
        """The watched agent behind the name in a lock; the name itself where none is."""
        return places.resolve(self._rows, name, principal)

    def watched(self, key: AgentKey) -> AgentTracked | None:
        """What was told when it was tracked; None where it is not, or no more."""
        return None if self.told.gone.get(key, True) else self.told.agents[key]

    def workflow(self, given: str) -> str:
        """A workflow with a lock in force.

        Raises:
            UsageError: `workflow-unknown`.
        """
        known = {key[0] for key in self.told.locks}
        if given not in known:
            hint = near(given, known) or "cardtrail status"
            raise UsageError("workflow-unknown", f'"{given}" has no lock', hint=hint)
        return given

    def _named(self, given: str) -> set[str]:
        if given in self._agents:
            return {given}
        resolved = {places.resolve(self._rows, given, principal) for principal in self.principals()} & self._known
        return (resolved - {given}) or ({given} & self._known) or set(self._at_host(given))

    def _at_host(self, given: str) -> Iterable[str]:
        wanted = given.lower()
        for (agent, principal), event in self.told.agents.items():
            location = (self.freshness.get((principal, agent)) or {}).get("location", "")
            if wanted in {_host(location), _host(event.target.value), event.target.value.lower()}:
                yield agent

    def _unknown(self, given: str, names: set[str]) -> UsageError:
        if names:
            return UsageError(
                "agent-unknown", f'"{given}" is several agents', hint=f"one of {', '.join(sorted(names))}"
            )
        known = self.told.watched()
        hint = near(given, known) or ("cardtrail agents" if known else "cardtrail track TARGET")
        return UsageError("agent-unknown", f'"{given}": not tracked', hint=hint)


async def directory(bus: Bus) -> Directory:
    """Read it from the log and the buckets."""
    told = await declared(bus)
    principals = Directory(told, {}).principals()
    freshness: Table = {}
    for principal in principals:
        rows, _ = await read_table(bus, "current_profile", principal, "freshness")
        freshness |= rows
    return Directory(told, freshness)


def _host(location: str) -> str:
    try:
        return (urlsplit(location if "://" in location else f"//{location}").hostname or "").lower()
    except ValueError:
        return ""
