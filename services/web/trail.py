"""The log, followed: the last looks at each agent, where decisions lie, which principals there are, which agent has news.

It begins with what the archive has, so that a start costs no reading of a long log.
"""

import asyncio
import contextlib
import logging
from contextlib import aclosing
from pathlib import Path
from uuid import UUID

from cardtrail.events import AgentEvent, ChangeDecided, Fact, Stored
from cardtrail.events.errors import CardtrailError, EventRefused, Unreachable
from cardtrail.events.fact import PUBLIC
from cardtrail.events.subjects import ALL
from cardtrail.events.upcast import decode
from cardtrail.projections.projection import Rows
from cardtrail.projections.store_reader import Reader
from cardtrail.services.archive import SNAPSHOT
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.follow import follow
from cardtrail.services.bus.names import FACTS
from cardtrail.services.bus.progress import Progress
from cardtrail.services.bus.questions import ask
from cardtrail.services.bus.snapshot import passage
from cardtrail.services.declared import declared
from cardtrail.services.web.attempts import ATTEMPTS, SHOWN, Attempts
from cardtrail.services.web.known import Tables
from cardtrail.services.web.memory import Memory
from cardtrail.services.web.pulse import Pulse
from cardtrail.services.web.window import Window

log = logging.getLogger("cardtrail.web")
_DECISIONS = "cardtrail.decisions.>"
_LAST_LOOKS = f"""
WITH looks AS (
  SELECT event, sequence, stored_at, principal, agent, kind = 'card-fetched' AND outcome = 'answered' AS whole,
    row_number() OVER (PARTITION BY principal, agent ORDER BY sequence DESC) AS age
  FROM history WHERE kind IN ('card-fetched', 'card-refused') AND NOT late
), earlier AS (
  SELECT max(sequence) AS sequence FROM looks WHERE age > {SHOWN} AND whole GROUP BY principal, agent
)
SELECT event, sequence, stored_at FROM looks
WHERE age <= {SHOWN} OR sequence IN (SELECT sequence FROM earlier) ORDER BY sequence
"""  # noqa: S608 — a number of ours
"""With the whole answer that the oldest look shown may have been like."""
_MOST_LOOKS = 1_000_000
_TRIES, _AGAIN_S, _WAITS_S = 20, 0.5, 5.0
_SHORT = 20_000
"""So many facts are read in about a second; a new tracker's archive may take longer than that to answer at all."""
_REMEMBERED = 100_000
"""Decisions, and agents with news, that are found without a look into the log: 20 MB each."""


class Trail:
    """What the page remembers of the log; `run` keeps it current."""

    def __init__(  # noqa: PLR0913 — what it follows, for whom, and how much of it it holds
        self,
        bus: Bus,
        memory: Memory,
        pulse: Pulse,
        progress: Progress,
        *,
        short: int = _SHORT,
        remembered: int = _REMEMBERED,
    ) -> None:
        """Nothing is read yet; a log of fewer than `short` facts is read, not its archive."""
        self._short = short
        self._bus, self._memory, self._pulse, self._progress = bus, memory, pulse, progress
        self._rows, self._fold = Rows(), Attempts()
        self._begun = asyncio.Event()
        self.decisions = Window[UUID](remembered)
        self._news = Window[str](remembered)
        self._called: dict[tuple[str, str], set[str]] = {}

    @property
    def through(self) -> int:
        """The last sequence followed."""
        return self._progress.position

    @property
    def attempts(self) -> Tables:
        """The rows behind the strips, of all principals; a reader takes its own."""
        return {ATTEMPTS: self._rows.table(ATTEMPTS)}

    def news(self, agent: str) -> int:
        """The last fact known to be about an agent; of one that has long been quiet, a later one."""
        return self._news.get(agent) or self._news.floor

    def called(self, agent: str, principal: str) -> tuple[str, ...]:
        """What locks called a watched agent when something was decided about it, also locks that are gone."""
        return tuple(sorted(self._called.get((principal, agent), ())))

    async def decision(self, identifier: UUID) -> int | None:
        """Where a decision lies, None where the log has none of this id; an old one is looked for in the log.

        Raises:
            BrokerUnreachable: the log cannot be read.
        """
        found = self.decisions.get(identifier)
        if found is not None or not self.decisions.floor:
            return found
        written = str(identifier).encode()
        older = passage(self._bus.connection, FACTS, _DECISIONS, through=self.decisions.floor)
        async with aclosing(older) as messages:  # type: ignore[type-var]  # a generator, declared as what it is read as
            async for message in messages:
                with contextlib.suppress(EventRefused):
                    if written in message.data and decode(message.data).id == identifier:
                        return message.sequence
        return None

    async def begun(self) -> None:
        """Returns once everything of before the start is read.

        Raises:
            Unreachable: `page-loading`, it takes longer than a reader waits.
        """
        try:
            await asyncio.wait_for(self._begun.wait(), _WAITS_S)
        except TimeoutError:
            raise Unreachable("page-loading", "the page is still reading the log", hint="load it again") from None

    async def run(self) -> None:
        """Read what there is, then follow. Never ends.

        Raises:
            LogMismatch: the broker came back with another log. BrokerUnreachable: the connection is closed for good.
        """
        self._memory.watch(PUBLIC)
        told = await declared(self._bus)
        for _, principal in told.agents:
            self._memory.watch(principal)
        for key in told.locks:
            self._memory.watch(key[2])
        last = await self._read_decisions(0)
        self._begun.set()
        after = await self._from_archive()
        await self._read_decisions(last)
        self._progress.position = after
        self._pulse.beat()
        async for message in follow(self._bus, ALL, after):
            self._take(message.sequence, message.stored_at, message.data)
            self._progress.position, self._progress.pending = message.sequence, message.pending
            self._pulse.beat()

    async def _read_decisions(self, after: int) -> int:
        """Learn where decisions lie behind a sequence; the last one."""
        async for message in passage(self._bus.connection, FACTS, _DECISIONS, after):
            after = message.sequence
            with contextlib.suppress(EventRefused):
                self._decided(decode(message.data), after)
        return after

    async def _from_archive(self) -> int:
        """The last looks that the archive has, and the sequence it stands for; 0 where reading the log is quicker."""
        if (await self._bus.info()).end < self._short:
            return 0
        for _ in range(_TRIES):
            try:
                path = (await ask(self._bus, SNAPSHOT, {}, within_s=10.0))["path"]
                if path is not None:
                    looks, through = await asyncio.to_thread(_looks, Path(path))
                    for sequence, stored_at, raw in looks:
                        self._take(sequence, stored_at, raw)
                    return through
            except Unreachable as away:
                log.debug("no archive yet: %s", away)
            except CardtrailError as refused:
                log.info("the archive cannot be read, the log is read instead: %s", refused)
                return 0
            await asyncio.sleep(_AGAIN_S)
        return 0

    def _decided(self, fact: Fact, sequence: int) -> None:
        event = fact.data
        if isinstance(event, ChangeDecided):
            self.decisions.put(fact.id, sequence)
            if event.watched not in {"", event.agent}:
                self._called.setdefault((event.principal, event.watched), set()).add(event.agent)

    def _take(self, sequence: int, stored_at: object, raw: bytes) -> None:
        try:
            stored = Stored.model_validate(
                {"sequence": sequence, "stored_at": stored_at, "fact": decode(raw), "raw": raw}
            )
        except EventRefused:
            return  # of a newer release
        event = stored.fact.data
        self._decided(stored.fact, sequence)
        if isinstance(event, AgentEvent):
            self._news.put(event.agent, sequence)
            self._memory.watch(event.principal)
        self._rows.mark()
        self._fold.apply(stored, self._rows)
        self._rows.taken()


def _looks(path: Path) -> tuple[list[tuple[int, object, bytes]], int]:
    """The looks that the strips rest on, oldest first."""
    with Reader(path) as reader:
        found = reader.query(_LAST_LOOKS, rows=_MOST_LOOKS).rows
        return [(row[1], f"{row[2].isoformat()}Z", row[0].encode()) for row in found], reader.through
