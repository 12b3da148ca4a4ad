"""What happened to an agent, and what was known of it, as the log has it."""

from collections.abc import AsyncIterator
from datetime import datetime

from cardtrail.events import AgentEvent, ChangeDecided, Stored
from cardtrail.events.fact import instant
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.past import facts_about, known_at
from cardtrail.services.cli.live.directory import Directory, directory
from cardtrail.services.cli.live.story import Story
from cardtrail.services.cli.live.tracker import Tracker
from cardtrail.services.cli.outputs.history import HistoryOutput


async def history(  # noqa: PLR0913 — what is asked for
    tracker: Tracker,
    given: str,
    principal: str | None,
    since: datetime | None,
    at: datetime | None,
    *,
    everything: bool,
) -> HistoryOutput:
    """The story of one agent, for all principals or one; `since` and `at` go by the broker's time.

    Raises:
        UsageError: `agent-unknown`, `principal-unknown`.
    """
    known = await directory(tracker.bus)
    agent, _ = known.agent(given, principal)
    names = await names_ever(tracker.bus, known, agent)
    through = await through_at(tracker, at)
    story, before, unreadable = Story(everything=everything), 0, []
    async for stored in facts_about(tracker.bus, names, through):
        if isinstance(stored, int):
            unreadable.append(stored)
        elif principal is None or _seen_by(stored, principal):
            story.tell(stored)
            if since and stored.stored_at < since:
                before, story.facts, story.folded = len(story.entries), 0, 0
    return HistoryOutput(
        format="cardtrail.history/1",
        agent=agent,
        names=names[1:],
        since=instant(since) if since else None,
        as_of=instant(at) if at else None,
        through=through,
        known_from=tracker.log.known_from,
        facts=story.facts,
        folded=story.folded,
        unreadable=tuple(unreadable),
        entries=tuple(entry.shown() for entry in story.entries[before:]),
    )


async def names_ever(bus: Bus, known: Directory, agent: str) -> tuple[str, ...]:
    """The agent's name, what locks call it, and what locks that are gone called it when something was decided.

    Raises:
        BrokerUnreachable: ask again.
    """
    told = [one.fact.data for one in (await bus.last("cardtrail.decisions.>")).facts]
    decided = [event for event in told if isinstance(event, ChangeDecided)]
    others = {event.agent for event in decided if agent in {event.watched, known.called(event.agent, event.principal)}}
    return tuple(dict.fromkeys((*known.names(agent), *sorted(others))))


async def through_at(tracker: Tracker, at: datetime | None) -> int:
    """The last sequence known at an instant; the end of the log where none is asked for."""
    return tracker.log.last if at is None else min(await known_at(tracker.bus, at), tracker.log.last)


async def facts_of(tracker: Tracker, names: tuple[str, ...], through: int) -> AsyncIterator[Stored]:
    """The readable facts under these names up to a sequence."""
    async for stored in facts_about(tracker.bus, names, through):
        if not isinstance(stored, int):
            yield stored


def _seen_by(stored: Stored, principal: str) -> bool:
    event = stored.fact.data
    return isinstance(event, AgentEvent) and event.principal == principal
