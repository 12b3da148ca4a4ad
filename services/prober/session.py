"""One job of the prober: the test that is due of one agent, started, sent, judged and recorded.

Before any request that runs a message leaves, `ProbeStarted` is on the log, behind every other one of that agent: two probers
never spend one budget twice. What a prober leaves without a record is told as interrupted, and not sent again.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from uuid import UUID

from cardtrail.events import Fact, ProbeRecorded, ProbeStarted, observation_id
from cardtrail.events.fact import told_ms
from cardtrail.events.subjects import shard, token
from cardtrail.projections.projection import Key
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.first import tell_first
from cardtrail.services.bus.kv_read import read_row
from cardtrail.services.bus.outbox import Outbox
from cardtrail.services.bus.schedules import Due
from cardtrail.services.bus.scheduling import SHARED
from cardtrail.services.contract import SafetyContract, contract_digest
from cardtrail.services.fresh_id import fresh_id
from cardtrail.services.kept import Kept, read, table
from cardtrail.services.outbound.call import Credential
from cardtrail.services.prober.agenda import NAME, Agenda
from cardtrail.services.prober.allowance import message_for, refusal
from cardtrail.services.prober.ask import Asker
from cardtrail.services.prober.docket import soonest
from cardtrail.services.prober.memory import Check, Checks, Subject
from cardtrail.services.prober.probes import PROBES
from cardtrail.services.prober.trials import About, Trial, interrupted, recorded, request_digest
from cardtrail.services.prober.tried import Target, tried

SOURCE = "cardtrail/prober"
AGAIN_S = 2.0
Wait = Callable[[float], Awaitable[bool]]


@dataclass(frozen=True, slots=True)
class Sessions:
    """What jobs need; `wait` lets seconds pass and says whether to go on."""

    bus: Bus
    outbox: Outbox
    asker: Asker
    agenda: Agenda
    contracts: Mapping[str, SafetyContract]
    credentials: Mapping[str, Credential]
    clock: Callable[[], datetime]
    wait: Wait

    async def work(self, due: Due) -> float:
        """Do what is due; 0, or the seconds after which the job should come again.

        Raises:
            BrokerUnreachable: the job comes again by itself.
        """
        key = (due.agent, due.principal)
        subject, checks = await self._row(Subject, key), await self._row(Checks, key)
        contract = self.contracts.get(due.agent)
        next_one = soonest(checks, contract, self.agenda.patience_s(due.agent))
        if next_one is None or next_one[1] > max(self.clock(), due.due):
            return 0.0
        check = next_one[0]
        about = About(
            agent=due.agent,
            principal=due.principal,
            probe=check.probe,
            claim=check.claim,
            profile_digest=subject.profile_digest,
            contract_digest=contract_digest(contract) if PROBES[check.probe].runs_message else "",
        )
        if check.started is not None and check.started_at is not None:
            await self.tell(interrupted(about), check.started)
            return 0.0
        target = self._target(subject, check, contract)
        return 0.0 if target is None else await _Session(self, about, checks, contract, target).run()

    async def tell(self, event: ProbeRecorded, started: UUID | None) -> None:
        """Tell what came of a test; whoever tells it of the same start tells the same fact."""
        now = self.clock()
        identifier = fresh_id(now) if started is None else _record_of(started)
        await self.outbox.tell([Fact(id=identifier, source=SOURCE, time=now, causation=started, data=event)])

    def _target(self, subject: Subject, check: Check, contract: SafetyContract | None) -> Target | None:
        profile = subject.profile
        if profile is None or profile.interface is None:
            return None
        interface = profile.interface
        if contract is not None and contract.tenant is not None and PROBES[check.probe].runs_message:
            interface = interface.model_copy(update={"tenant": contract.tenant})
        return Target(subject, profile, interface, self.credentials.get(subject.credential))

    async def _row(self, kind: type[Kept], key: Key) -> Kept:
        row = await read_row(self.bus, NAME, SHARED, table(kind), key)
        return read(kind, row) or kind()


@dataclass(slots=True)
class _Session:
    """One test: as many trials as were agreed, each within budget and rate."""

    means: Sessions
    about: About
    checks: Checks
    contract: SafetyContract | None
    target: Target
    started: UUID | None = None

    async def run(self) -> float:
        probe, contract, target = PROBES[self.about.probe], self.contract, self.target
        message = message_for(contract, self.about.claim, target.interface) if contract and probe.runs_message else {}
        attempt = probe.attempt(target.interface, target.profile, self.about.claim, message or {})
        about = self.about.model_copy(update={"request_digest": request_digest(attempt.request)})
        trials: list[Trial] = []
        agreed = contract.trials if contract is not None and probe.runs_message else 1
        while len(trials) < agreed and await self._may_leave(len(trials), runs_message=probe.runs_message):
            trials.append(await tried(self.means.asker, probe, about.claim, attempt, target))
            if trials[-1].judged.outcome == "inconclusive":
                break
        if not trials:
            return AGAIN_S
        await self.means.tell(recorded(about, tuple(trials), contract.pass_rate if contract else 1.0), self.started)
        return 0.0

    async def _may_leave(self, done: int, *, runs_message: bool) -> bool:
        """Whether the next request may leave; its budget is spent then."""
        if done and self.contract is not None and not await self.means.wait(self.contract.rate_s):
            return False
        now, checks = self.means.clock(), self.checks
        if refusal(self.contract, runs_message=runs_message, spent=checks.spent, now=now):
            return False
        if not runs_message:
            return True
        about = self.about
        event = ProbeStarted(
            agent=about.agent,
            principal=about.principal,
            probe=about.probe,
            claim=about.claim,
            contract_digest=about.contract_digest,
            runs_message=True,
        )
        fact = Fact(id=fresh_id(now), source=SOURCE, time=now, data=event)
        place = ".".join(("cardtrail.events", shard(about.agent), token(about.agent), token(about.principal)))
        sequence = await tell_first(self.means.bus, fact, f"{place}.{event.kind}.>", checks.through)
        if sequence is None:
            return False
        self.started = self.started or fact.id
        self.checks = checks.model_copy(update={"spent": (*checks.spent, now), "through": sequence})
        return True


def _record_of(started: UUID) -> UUID:
    """The one id of what came of a start: of its millisecond, and always the same."""
    return observation_id(told_ms(started), sha256(started.bytes).digest()[:10])
