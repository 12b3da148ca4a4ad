"""The derivers once more over the kept log, in memory: as it was, or as it would have been. Tells nobody, asks no agent.

Decisions and, where cards are compiled anew, profiles on the log are heard and not believed. A profile that is derived here
stands at its card's sequence: it is known at once.
"""

from collections.abc import AsyncIterator, Callable
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from cardtrail.events import CardFetched, Fact, PolicyDeclared, ProfileCompiled, Stored
from cardtrail.events.canonical import digest
from cardtrail.events.errors import EventRefused
from cardtrail.events.model.finding import Severity
from cardtrail.events.model.policy import ClientCapabilities, Policy
from cardtrail.events.subjects import ALL
from cardtrail.events.upcast import decode
from cardtrail.projections.projection import Rows
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.names import FACTS
from cardtrail.services.bus.progress import Progress
from cardtrail.services.bus.pull import Delivered
from cardtrail.services.bus.snapshot import passage
from cardtrail.services.card.compile import COMPILER_VERSION
from cardtrail.services.compiler.app import Fed
from cardtrail.services.compiler.compiled import compiled
from cardtrail.services.compiler.compiler import Compiler
from cardtrail.services.decider.decider import Decider
from cardtrail.services.verdict.judge import judge
from cardtrail.services.verdict.rules import RULES_VERSION

_AT_ONCE = 500


class Hypothesis(NamedTuple):
    """What would have been otherwise: severities (None: a rule is off), our client, and whether kept cards are compiled anew."""

    severities: dict[str, Severity | None] = {}
    client: ClientCapabilities | None = None
    compiles: bool = False

    def policy(self, told: Policy) -> Policy:
        """The policy as it would have been declared."""
        update: dict[str, object] = {"severities": {**told.severities, **self.severities}}
        return told.model_copy(update=update if self.client is None else update | {"client": self.client})


class Again:
    """One run. `heard` gets every fact of the log, `derived` each fact that follows here, with the sequence it follows at."""

    def __init__(
        self, bus: Bus, under: Hypothesis, heard: Callable[[Stored], None], derived: Callable[[Fact, int], None]
    ) -> None:
        """Nothing is read before `run`."""
        self._bus, self._under, self._heard, self._derived = bus, under, heard, derived
        self._decider, self._rows = Decider(judge, RULES_VERSION), Rows()
        self._compiler, self._cards = Fed(Compiler(compiled, COMPILER_VERSION), bus), Rows()
        self.unreadable = 0

    async def run(self, through: int, seen: Progress) -> None:
        """Fold the log up to a sequence; memory holds what the derivers remember and no more.

        Raises:
            BrokerUnreachable: it was interrupted; begin again.
        """
        now: datetime | None = None
        async for batch in self._batches(through):
            if now is None:
                self._declare(batch[0].stored_at)
            if self._under.compiles:
                await self._compiler.prepare([message.data for message in batch], self._cards)
            for message in batch:
                now = max(now or message.stored_at, message.stored_at)
                try:
                    fact = decode(message.data)
                except EventRefused:
                    self.unreadable += 1
                    continue
                self._take(Stored(sequence=message.sequence, stored_at=now, fact=fact, raw=message.data))
            seen.position = batch[-1].sequence

    async def _batches(self, through: int) -> AsyncIterator[list[Delivered]]:
        batch: list[Delivered] = []
        async for message in passage(self._bus.connection, FACTS, ALL, through=through):
            batch.append(message)
            if len(batch) == _AT_ONCE:
                yield batch
                batch = []
        if batch:
            yield batch

    def _declare(self, at: datetime) -> None:
        """The hypothesis holds before the first declaration, too."""
        policy = self._under.policy(Policy())
        event = PolicyDeclared(policy=policy, digest=digest(policy.model_dump(mode="json")))
        self._follow(Stored(sequence=0, stored_at=at, fact=Fact(id=UUID(int=0), source="", time=at, data=event)))

    def _take(self, stored: Stored) -> None:
        self._heard(stored)
        event = stored.fact.data
        if isinstance(event, PolicyDeclared):
            stored = self._declared(stored, event)
        if not (self._under.compiles and isinstance(event, ProfileCompiled)):
            self._follow(stored)

    def _declared(self, stored: Stored, event: PolicyDeclared) -> Stored:
        policy = self._under.policy(event.policy)
        if policy == event.policy:
            return stored
        told = event.model_copy(update={"policy": policy, "digest": digest(policy.model_dump(mode="json"))})
        return stored.model_copy(update={"fact": stored.fact.model_copy(update={"data": told})})

    def _follow(self, stored: Stored) -> None:
        """What the derivers make of one fact; a profile comes after its card, as it does live."""
        self._rows.mark()
        for fact in self._decider.derive(stored, self._rows):
            self._derived(fact, stored.sequence)
        if not self._under.compiles or isinstance(stored.fact.data, ProfileCompiled):
            return
        self._cards.mark()
        for fact in self._compiler.derive(stored, self._cards):
            self._derived(fact, stored.sequence)
            if isinstance(stored.fact.data, CardFetched):
                self._follow(Stored(sequence=stored.sequence, stored_at=stored.stored_at, fact=fact))
