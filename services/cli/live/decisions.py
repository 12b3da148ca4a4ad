"""Decisions as they are made, each told with whom to use instead; a lost connection is told and loses nothing."""

import asyncio
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from typing import NamedTuple

from cardtrail.events import ChangeDecided
from cardtrail.events.errors import EventRefused
from cardtrail.events.fact import instant
from cardtrail.events.subjects import token
from cardtrail.events.upcast import decode
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.follow import follow
from cardtrail.services.bus.kv_read import read_table
from cardtrail.services.bus.pull import Delivered
from cardtrail.services.cli.live.directory import directory
from cardtrail.services.cli.live.past import through_at
from cardtrail.services.cli.live.standing import lock_rows
from cardtrail.services.cli.live.tracker import Tracker
from cardtrail.services.cli.outputs.watch import WatchedConnection, WatchedDecision, WatchedUnreadable
from cardtrail.services.cli.shell.text import plain

Seen = WatchedDecision | WatchedConnection | WatchedUnreadable
_WAITS_S, _AGAIN_S = 1.0, 0.05


class About(NamedTuple):
    """Which decisions: of one workflow, of one agent, since an instant."""

    workflow: str | None = None
    agent: str | None = None
    since: datetime | None = None


async def watch(tracker: Tracker, about: About, tell: Callable[[Seen], None], say: Callable[[str], None]) -> None:
    """Tell every decision from now (or `since`) on, and every loss and return of the connection. Never returns.

    Until the first one a person is told, by `say`, that there is something to wait for.

    Raises:
        UsageError: `workflow-unknown`, `agent-unknown`.
    """
    known = await directory(tracker.bus)
    flow = known.workflow(about.workflow) if about.workflow else None
    agent = known.agent(about.agent)[0] if about.agent else None
    after = await through_at(tracker, about.since) if about.since else tracker.log.last
    rows, _ = await lock_rows(tracker.bus, known)
    began = {key: datetime.fromisoformat(row["since"]) for key, row in rows.items()} if not about.since else {}
    names = frozenset(known.names(agent) if agent else ())
    watching = _Watching(tracker.bus, after, began, tell, names)
    forget = tracker.bus.connection.on_back(watching.connection)
    say(f"watching {plain(flow or agent or 'everything')} for decisions; Ctrl-C ends")
    try:
        subject = f"cardtrail.decisions.{token(flow)}.>" if flow else "cardtrail.decisions.>"
        async for message in follow(tracker.bus, subject, after):
            async for seen in watching.taken(message):
                tell(seen)
    finally:
        say("")
        forget()


class _Watching:
    def __init__(
        self,
        bus: Bus,
        after: int,
        began: dict[tuple[str, ...], datetime],
        tell: Callable[[Seen], None],
        names: frozenset[str],
    ) -> None:
        self._bus, self._after, self._began, self._tell, self._names = bus, after, began, tell, names
        self._connected = True

    def connection(self) -> None:
        """The connection was lost or is back."""
        connected = self._bus.connection.connected.is_set()
        if connected != self._connected:
            self._connected = connected
            at = instant(datetime.now(UTC))
            what = "back" if connected else "lost"
            self._tell(WatchedConnection(format="cardtrail.watch/1", what=what, at=at, after=self._after))

    async def taken(self, message: Delivered) -> AsyncIterator[Seen]:
        """What a message says."""
        self._after = message.sequence
        at = instant(message.stored_at)
        try:
            event = decode(message.data).data
        except EventRefused:
            yield WatchedUnreadable(format="cardtrail.watch/1", what="unreadable", sequence=message.sequence, at=at)
            return
        if isinstance(event, ChangeDecided) and (not self._names or self._names & {event.agent, event.watched}):
            yield await self._decision(event, message.sequence, at)

    async def _decision(self, event: ChangeDecided, sequence: int, at: str) -> WatchedDecision:
        key, now = (event.principal, event.workflow, event.agent), datetime.fromisoformat(event.valid_from)
        since = self._began.get(key)
        if event.verdict != event.previous or since is None:
            self._began[key] = now
        use, person = await _instead(self._bus, event, sequence) if event.action == "stop" else (None, "")
        return WatchedDecision(
            format="cardtrail.watch/1",
            what="decision",
            sequence=sequence,
            at=at,
            workflow=event.workflow,
            agent=event.agent,
            principal=event.principal,
            previous=event.previous,
            verdict=event.verdict,
            action=event.action,
            recovered=event.recovered,
            lasted_s=(now - since).total_seconds() if event.recovered and since else None,
            use=use,
            person=person,
            findings=event.findings,
        )


async def _instead(bus: Bus, event: ChangeDecided, sequence: int) -> tuple[str | None, str]:
    """Whom the routes name once they know of the decision; nobody, where they do not know of it within a second."""
    deadline = asyncio.get_running_loop().time() + _WAITS_S
    while True:
        rows, through = await read_table(bus, "routes", event.principal, "routes")
        mine = [row for key, row in rows.items() if key[1] == event.workflow and _first(row) == event.agent]
        if through >= sequence:
            others = [row["use"] for row in mine if row["use"] not in {None, event.agent}]
            return next(iter(others), None), next((row["person"] for row in mine if row["person"]), "")
        if asyncio.get_running_loop().time() > deadline:
            return None, ""
        await asyncio.sleep(_AGAIN_S)


def _first(row: dict[str, object]) -> object:
    candidates = row["candidates"]
    return candidates[0]["agent"] if isinstance(candidates, list) and candidates else ""
