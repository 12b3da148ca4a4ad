"""Who brought a value of a capability: asked of the log."""

from collections.abc import Iterable
from datetime import datetime

from cardtrail.events.errors import UsageError
from cardtrail.events.fact import instant
from cardtrail.services.audit.blame import Blame
from cardtrail.services.bus.past import facts_about
from cardtrail.services.cli.live.directory import Directory, directory
from cardtrail.services.cli.live.past import names_ever, through_at
from cardtrail.services.cli.live.tracker import Tracker
from cardtrail.services.cli.outputs.blame import BlameOutput
from cardtrail.services.cli.shell.near import near
from cardtrail.services.declare import AgentKey

_MOST = 8
_FAMILIES = ("", "skills.", "extensions.", "schemes.")


async def blame(
    tracker: Tracker, given: str, capability: str | None, principal: str | None, at: datetime | None
) -> BlameOutput:
    """Every value of a capability, or the last of each.

    Raises:
        UsageError: `agent-unknown`, `principal-unknown`, `capability-unknown`.
    """
    known = await directory(tracker.bus)
    agent, seer = known.agent(given, principal)
    through = await through_at(tracker, at)
    fold, unreadable = await folded(tracker, known, (agent, seer), through)
    every = fold.capabilities()
    name = None if capability is None else named(capability, every)
    values = fold.of(name) if name else tuple(fold.of(one)[-1] for one in every)
    return BlameOutput(
        format="cardtrail.blame/1",
        agent=agent,
        principal=seer,
        capability=name,
        as_of=instant(at) if at else None,
        through=through,
        known_from=tracker.log.known_from,
        unreadable=tuple(unreadable),
        values=values,
    )


async def folded(tracker: Tracker, known: Directory, key: AgentKey, through: int) -> tuple[Blame, list[int]]:
    """Everything that is told about an agent (name, principal) up to a sequence; and what of it this release cannot read."""
    fold, unreadable = Blame(*key), []
    async for stored in facts_about(tracker.bus, await names_ever(tracker.bus, known, key[0]), through):
        if isinstance(stored, int):
            unreadable.append(stored)
        else:
            fold.tell(stored)
    return fold, unreadable


def named(given: str, known: Iterable[str]) -> str:
    """The capability that is meant: its name, or what is left of it without `skills.`, `extensions.` or `schemes.`.

    Raises:
        UsageError: `capability-unknown`, with what there is beside it.
    """
    every = set(known)
    for family in _FAMILIES:
        if family + given in every:
            return family + given
    raise UsageError("capability-unknown", f'"{given}"', hint=_beside(given, every))


def _beside(given: str, every: set[str]) -> str:
    """The members of the skill, extension or scheme that was meant, else near names."""
    for part in (given, given.rpartition(".")[0]):
        for family in _FAMILIES[1:]:
            members = sorted(name.removeprefix(family + part) for name in every if name.startswith(f"{family}{part}."))
            if part and members:
                return f"one of {', '.join(members)}"
    short = {name.removeprefix("skills.") for name in every}
    begins = sorted(name for name in short if name.startswith(given))
    return (f"one of {', '.join(begins[:_MOST])}" if begins else near(given, short)) or (
        "cardtrail blame AGENT lists them" if every else "nothing was compiled yet"
    )
