"""Making an agent due now, and waiting for what comes of it."""

import asyncio
import contextlib
from collections.abc import Iterator, Sequence

from cardtrail.events import CardFetched, CardRefused, Stored
from cardtrail.events.errors import Unreachable, UsageError
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.past import facts_about
from cardtrail.services.bus.questions import ask
from cardtrail.services.bus.schedules import Due, schedule
from cardtrail.services.cli.formats.words import counted
from cardtrail.services.cli.live.directory import Directory, directory
from cardtrail.services.cli.live.held import held_of
from cardtrail.services.cli.live.past import facts_of
from cardtrail.services.cli.live.story import Story
from cardtrail.services.cli.live.tracker import Tracker
from cardtrail.services.cli.live.turns import Turns, policy_of
from cardtrail.services.cli.live.words import tracking
from cardtrail.services.cli.outputs.refresh import RefreshOutput
from cardtrail.services.fetcher.dispatch import host_of
from cardtrail.services.fetcher.pace import FORCED
from cardtrail.services.service import HEALTH

_AGAIN_S, _LAST_S = 0.05, 1.0
_FOLLOWING = ("compiler", "decider")


async def refresh(
    tracker: Tracker, given: str, principals: Sequence[str], *, forced: bool, wait_s: float | None
) -> RefreshOutput:
    """Have an agent looked at now; with `wait_s`, wait that long at most for all that follows.

    Raises:
        UsageError: `agent-unknown`, `principal-unknown`, `agent-not-watched`, `log-audited`.
        Unreachable: `refresh-unanswered`, or `service-unreachable`, the service that it stops at; `refresh-held-back`, one
            that holds this agent's facts back.
    """
    tracker.must_work()
    known = await directory(tracker.bus)
    agent, _ = known.agent(given, next(iter(principals), None))
    jobs = list(_jobs(tracker, known, agent, principals, forced=forced))
    if not jobs:
        raise UsageError("agent-not-watched", f'"{agent}" is not watched', hint=tracking(agent))
    await schedule(tracker.bus, jobs)
    story, turns = Story(everything=True), Turns(policy_of(known))
    if wait_s is not None:
        await _decided(tracker, known.names(agent), jobs, wait_s)
        await _applied(tracker, agent, known.names(agent), jobs)
        async for stored in facts_of(tracker, known.names(agent), (await tracker.bus.info()).last):
            story.tell(stored)
            turns.tell(stored)
    seen = {job.principal for job in jobs}
    return RefreshOutput(
        format="cardtrail.refresh/1",
        agent=agent,
        principals=tuple(job.principal for job in jobs),
        forced=forced,
        waited=wait_s is not None,
        entries=tuple(entry.shown() for entry in story.entries if entry.first.sequence > tracker.log.last),
        turning=tuple(one for one in turns.held() if one.principal in seen),
    )


def _jobs(tracker: Tracker, known: Directory, agent: str, principals: Sequence[str], *, forced: bool) -> Iterator[Due]:
    for name, principal in known.told.agents:
        tracked = known.watched((name, principal))
        if name == agent and tracked is not None and (not principals or principal in principals):
            yield Due(
                what="refresh",
                due=tracker.log.at,  # the broker fires it, by its own clock
                agent=agent,
                principal=principal,
                host=host_of(tracked.target),
                fingerprint=FORCED if forced else "",
            )


async def _decided(tracker: Tracker, names: tuple[str, ...], jobs: Sequence[Due], wait_s: float) -> None:
    """Returns once all that follows from the looks is decided."""
    waiting = {(job.agent, job.principal) for job in jobs}
    at = ["fetcher"]
    try:
        async with asyncio.timeout(wait_s):
            await _settled(tracker.bus, await _looked_at(tracker, names, waiting), at)
    except TimeoutError:
        await _positions(tracker.bus, at[-1], _LAST_S)  # one that does not answer is the answer
        hint = "cardtrail doctor says which service is behind; limits per host hold, whatever is asked"
        raise Unreachable("refresh-unanswered", f"{at[-1]} was not done within {wait_s:g} s", hint=hint) from None


async def _applied(tracker: Tracker, agent: str, names: tuple[str, ...], jobs: Sequence[Due]) -> None:
    """Returns where none of the agent's facts is held back, so that what came of the looks was judged."""
    for service in _FOLLOWING:
        rows = await held_of(tracker.bus, service, names, [job.principal for job in jobs])
        if rows:
            said = f'{service} holds {counted(len(rows), "fact")} about "{agent}" back'
            hint = "cardtrail doctor says why; once the cause is mended: cardtrail replay --parked"
            raise Unreachable("refresh-held-back", f"not judged: {said}, fact {rows[0]['sequence']} first", hint=hint)


async def _looked_at(tracker: Tracker, names: tuple[str, ...], waiting: set[tuple[str, str]]) -> int:
    """The sequence behind which every look that was asked for is on the log."""
    after = tracker.log.last
    while waiting:
        through = (await tracker.bus.info()).last
        async for stored in facts_about(tracker.bus, names, through, after=after):
            if not isinstance(stored, Stored):
                continue
            event = stored.fact.data
            if isinstance(event, CardFetched | CardRefused):
                waiting.discard((event.agent, event.principal))
        after = through
        await asyncio.sleep(_AGAIN_S if waiting else 0)
    return after


async def _settled(bus: Bus, sequence: int, at: list[str]) -> None:
    """Wait until compiler and decider, one after the other, have read so far and what the one told the other.

    `at` grows by the service waited for. One that does not answer may be starting again: it has the time that there is.
    """
    for service in _FOLLOWING:
        at.append(service)
        reached = -1
        while reached < sequence:
            with contextlib.suppress(Unreachable):
                reached = min(await _positions(bus, service), default=0)
            await asyncio.sleep(_AGAIN_S)
        sequence = (await bus.info()).last


async def _positions(bus: Bus, service: str, within_s: float = 5.0) -> list[int]:
    folds = (await ask(bus, f"{HEALTH}.{service}", {}, within_s=within_s))["folds"]
    return [int(fold["position"]) for fold in folds.values()]
