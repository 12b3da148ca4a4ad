"""What runs behind a planner: one connection, a watch on each thing it goes by, reports out. All it learns goes into the view.

Whatever fails here is tried again for as long as the planner lives; meanwhile the view says that it is blind.
"""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from datetime import datetime
from functools import partial
from pathlib import Path

from cardtrail.events import ChangeDecided
from cardtrail.events.errors import CardtrailError
from cardtrail.events.subjects import token
from cardtrail.services.bus.alive import beats
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.errors import BrokerUnreachable
from cardtrail.services.bus.live import decisions
from cardtrail.services.bus.login import Login, security
from cardtrail.services.bus.names import inbox_prefix
from cardtrail.services.bus.reachable import reach
from cardtrail.services.bus.retried import Retried
from cardtrail.services.bus.watch import Change, Standing, Watch
from cardtrail.services.planner import saved
from cardtrail.services.planner.permission import Blindness
from cardtrail.services.planner.pulse import Pulse
from cardtrail.services.planner.reporter import Reporter
from cardtrail.services.planner.update import Update
from cardtrail.services.planner.view import View

log = logging.getLogger("cardtrail.planner")
_AGAIN_S = 1.0
_TICK_S = 1.0
_SAVED_EVERY_S = 30.0
_LAST_WORDS_S = 2.0


class Link:
    """Started once, ended once; `ready` says that everything there is has arrived."""

    def __init__(  # noqa: PLR0913 — what it connects
        self,
        url: str,
        view: View,
        reporter: Reporter,
        *,
        login: Login | None,
        clock: Callable[[], datetime],
        tell: Callable[[Update], None],
        silence_s: float,
        snapshot: Path | None,
    ) -> None:
        """Nothing is connected before `start`."""
        self._url, self._proof, self._domain = url, security(login), login.domain if login else ""
        self._view, self._clock, self._tell = view, clock, tell
        self._snapshot, self._saving = snapshot, Retried(log, f"the snapshot {snapshot} cannot be written")
        self.reporter = reporter
        self._pulse = Pulse(clock(), silence_s)
        self._cut: Blindness | None = view.blind
        self._arrived: set[str] = set()
        self._profiled: set[str] = set()
        self._profiles: dict[str, asyncio.Task[None]] = {}
        self._tasks: list[asyncio.Task[None]] = []
        self._settled = asyncio.Event()
        self._refused: CardtrailError | None = None
        self._bus: Bus | None = None
        self._unsaved, self._saved_at = False, clock()

    @property
    def connected(self) -> bool:
        """Whether there is a connection to the broker now."""
        return self._bus is not None and self._bus.connection.connected.is_set()

    def start(self) -> None:
        """Begin to connect, and to keep time."""
        self._cut = self._view.blind
        self._tasks = [asyncio.create_task(self._run()), asyncio.create_task(_kept(self._keep_time))]

    async def ready(self, within_s: float, *, has_snapshot: bool) -> None:
        """Wait until routes and profiles are here, or for `within_s` seconds; with a snapshot to go by, not at all.

        Raises:
            BrokerRefused: the broker does not let us in. BrokerUnreachable: no broker, and no snapshot.
        """
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._settled.wait(), 0.0 if has_snapshot else within_s)
        if self._refused is not None:
            raise self._refused
        if not self.connected and not has_snapshot:
            raise BrokerUnreachable("broker-unreachable", "no broker answers, and there is no snapshot to go by")

    async def end(self) -> None:
        """Send what waits, keep the snapshot, disconnect."""
        if self.connected:
            await self.flush(_LAST_WORDS_S)
        tasks = [*self._tasks, *self._profiles.values()]
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks, timeout=_LAST_WORDS_S)  # nats-py may swallow a cancellation while it connects
        await self._keep()
        if self._bus is not None:
            await self._bus.connection.close()

    async def flush(self, within_s: float) -> bool:
        """Send every report that waits; whether all were stored in time."""
        return await self.reporter.flush(self._bus, within_s)

    async def _run(self) -> None:
        try:
            bus = self._bus = await self._connect()
        except CardtrailError as error:
            if self._view.source == "snapshot":  # nobody waits for the answer
                log.error("%s", error.message)  # noqa: TRY400 — the message says it all, and carries no secret
            self._refused = error
            self._settled.set()
            return
        for follow in (self._follow_routes, self._hear, self._listen, self.reporter.run):
            self._tasks.append(asyncio.create_task(_kept(partial(follow, bus))))

    async def _connect(self) -> Bus:
        name, inbox = f"planner-{self._view.workflow}", inbox_prefix(self._view.principal)
        while True:
            try:
                await reach(self._url)
                return await Bus(
                    self._url, name=name, inbox=inbox, security=self._proof, domain=self._domain
                ).__aenter__()
            except BrokerUnreachable:
                await asyncio.sleep(_AGAIN_S)

    async def _follow_routes(self, bus: Bus) -> None:
        keys = f"routes.{token(self._view.principal)}.{token(self._view.workflow)}.>"
        watch = Watch(bus.connection, "routes", self._view.principal, keys)
        async for seen in watch.changes():
            if isinstance(seen, Standing):
                self._stand(seen)
                continue
            if self._view.take_route(seen.key, seen.row, seen.through):
                self._arrived.add(seen.key[2])
                self._unsaved = True
                self._want(bus)
            if watch.standing.state == "live":
                self._review()

    async def _follow_profile(self, bus: Bus, agent: str) -> None:
        keys = f"current_profile.{token(self._view.principal)}.{token(agent)}"
        async for seen in Watch(bus.connection, "current_profile", self._view.principal, keys).changes():
            if isinstance(seen, Change):
                self._unsaved = True
                if (update := self._view.take_profile(agent, seen.row, self._clock())) is not None:
                    self._tell(update)
            elif seen.state == "live":
                self._profiled.add(agent)
                self._settle()

    async def _hear(self, bus: Bus) -> None:
        async for heard in decisions(bus.connection, self._view.workflow):
            if heard.fact is not None and isinstance(heard.fact.data, ChangeDecided):
                self._view.take_decision(heard.fact, heard.fact.data, heard.sequence)
                self._review()

    async def _listen(self, bus: Bus) -> None:
        async for beat in beats(bus.connection):
            self._pulse.heard(beat.service, beat.silent_for(self._view.principal), self._clock())

    async def _keep_time(self) -> None:
        """What changes though nothing arrives: judgements grow stale, services fall silent."""
        while True:
            await asyncio.sleep(_TICK_S)
            self._review()
            overdue = (self._clock() - self._saved_at).total_seconds() >= _SAVED_EVERY_S
            if self._view.blind is None and (self._unsaved or overdue):
                await self._keep()

    async def _keep(self) -> None:
        if self._snapshot is None or self._view.source == "snapshot" or not self._view.caught_up:
            return
        self._unsaved, self._saved_at = False, self._clock()
        try:
            await asyncio.to_thread(saved.save, self._snapshot, self._view.saved(self._saved_at))
        except OSError as error:
            self._saving.failed(str(error.errno), error)
        else:
            self._saving.worked()

    def _want(self, bus: Bus) -> None:
        """Watch the profiles of the agents in our routes, and no others."""
        wanted = self._view.agents()
        for agent in wanted - self._profiles.keys():
            self._profiles[agent] = asyncio.create_task(_kept(partial(self._follow_profile, bus, agent)))
        for agent in self._profiles.keys() - wanted:
            self._profiles.pop(agent).cancel()
            self._profiled.discard(agent)
            self._view.take_profile(agent, None, self._clock())

    def _stand(self, standing: Standing) -> None:
        if standing.state == "catching-up":
            self._arrived.clear()
            self._view.through = 0
        elif standing.state == "blind":
            self._cut = self._cut or Blindness(since=standing.since, why="no-connection")
            self._review()
        else:
            self._view.caught_up_with(self._arrived)
            self._pulse.again(self._clock())
            self._cut = None
            self._review()
            self._settle()

    def _settle(self) -> None:
        if self._view.caught_up and self._view.agents() <= self._profiled:
            self._settled.set()

    def _review(self) -> None:
        """Tell what has changed for those who delegate, by what has arrived or by the clock alone."""
        now, view = self._clock(), self._view
        was, view.blind = view.blind, self._cut or self._pulse.blind(now)
        if not view.knows:
            return
        if was is None and view.blind is not None:
            self._tell(view.mark(now))
        for update in view.changes(now):
            self._tell(update)
        if was is not None and view.blind is None:
            self._tell(view.mark(now))
        view.known_at = now if view.blind is None else view.known_at


async def _kept(follow: Callable[[], Awaitable[None]]) -> None:
    """Begin again whenever it ends: a bucket that is not there yet, a decision that this release cannot read."""
    while True:
        try:
            await follow()
        except CardtrailError as error:
            log.debug("%s", error)
        except Exception:
            log.exception("a defect in the planner; it begins again")
        await asyncio.sleep(_AGAIN_S)
