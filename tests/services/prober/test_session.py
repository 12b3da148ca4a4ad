"""Jobs of the prober on a real broker: one budget for all probers, and what a dead one leaves is told and not sent again."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cardtrail.events import AgentTracked, CardFetched, LockfilePinned, ProbeRecorded, ProbeStarted, ProfileCompiled
from cardtrail.events.agent_tracked import Target
from cardtrail.events.canonical import digest
from cardtrail.events.model.lockfile import LockedInterface, Lockfile, Requires
from cardtrail.events.model.policy import EndpointPolicy
from cardtrail.events.model.profile import Identity
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.outbox import Outbox
from cardtrail.services.bus.progress import Progress
from cardtrail.services.bus.runner import run_fold
from cardtrail.services.bus.schedules import Due
from cardtrail.services.bus.scheduling import Scheduling
from cardtrail.services.contract import SafetyContract
from cardtrail.services.outbound.client import Door
from cardtrail.services.prober.agenda import DUE, Agenda
from cardtrail.services.prober.ask import Asker
from cardtrail.services.prober.pace import wanted
from cardtrail.services.prober.session import Sessions
from cardtrail.services.settings import LimitSettings, ProbeSettings, TlsSettings
from cardtrail.services.telling import operator_fact
from tests.liar_proxy import LiarProxy
from tests.nats_server import fresh_bus
from tests.services.prober.asking import MESSAGE, agent, profile
from tests.streams import PATIENCE_S

CONTRACT = SafetyContract(message=MESSAGE, budget=1, rate_s=0, probes=("streaming",))
JOB = Due(what="probe", due=datetime(2026, 1, 1, tzinfo=UTC), agent="pricing")
Play = Callable[["Desk"], Awaitable[None]]


class Desk:
    """The agenda at work, and probers that take jobs from a test's hand."""

    def __init__(self, bus: Bus, sessions: Sessions, progress: Progress, proxy: LiarProxy) -> None:
        self.bus, self.sessions, self.progress, self.proxy = bus, sessions, progress, proxy

    async def folded(self) -> None:
        await self.progress.reaches((await self.bus.info()).last)

    async def records(self) -> list[ProbeRecorded]:
        found = (await self.bus.last("cardtrail.events.*.pricing.public.probe-recorded.>")).facts
        return [one.fact.data for one in found if isinstance(one.fact.data, ProbeRecorded)]

    async def starts(self) -> int:
        last = (await self.bus.info()).last
        facts = [await self.bus.at(sequence) for sequence in range(1, last + 1)]
        return sum(one is not None and isinstance(one.fact.data, ProbeStarted) for one in facts)

    async def until_only_messages_are_due(self) -> None:
        """The harmless test is done first."""
        await self.folded()
        assert await self.sessions.work(JOB) == 0.0
        await self.folded()


def play(folder: Path, story: Play, contract: SafetyContract = CONTRACT, total_s: float = PATIENCE_S) -> int:
    """One story; how many messages the agent ran."""

    async def run() -> int:
        with agent() as (running, proxy):
            async with desk(folder, proxy, contract, total_s) as held:
                await story(held)
            return running.ran

    return asyncio.run(run())


@contextlib.asynccontextmanager
async def desk(folder: Path, proxy: LiarProxy, contract: SafetyContract, total_s: float) -> AsyncIterator[Desk]:
    async def here(_name: str) -> tuple[str, ...]:
        return ("127.0.0.1",)

    async def never(_seconds: float) -> bool:
        return True

    settings, contracts, stop = ProbeSettings(total_s=total_s), {"pricing": contract}, asyncio.Event()
    agenda, progress = Agenda(settings, contracts), Progress()
    tls = TlsSettings(ca_bundle=proxy.ca_file, only=True)
    async with (
        fresh_bus() as (bus, _),
        Outbox(bus, folder / "outbox") as outbox,
        Door(LimitSettings(), tls, resolver=here) as door,
    ):
        asker = Asker(door.open, settings, lambda: datetime.now(UTC))
        sessions = Sessions(bus, outbox, asker, agenda, contracts, {}, lambda: datetime.now(UTC), never)
        store = Scheduling(bus, agenda.name, DUE, wanted)
        folding = asyncio.create_task(run_fold(bus, agenda, store, stop=stop, progress=progress))
        await tell(bus, proxy)
        try:
            yield Desk(bus, sessions, progress, proxy)
        finally:
            stop.set()
            await folding


async def tell(bus: Bus, proxy: LiarProxy) -> None:
    """An agent that is watched, compiled and needed for its streaming."""
    made, where = profile(proxy.base), f"{proxy.base}/.well-known/agent-card.json"
    endpoints = EndpointPolicy(cidrs=("127.0.0.0/8",))
    lock = Lockfile(
        agent="pricing", interface=LockedInterface(binding="JSONRPC", version="1.0"), requires=Requires(streaming=True)
    )
    card = operator_fact(CardFetched(agent="pricing", location=where, semantic_digest="x"), "test")
    compiled = ProfileCompiled(
        agent="pricing", card=card.id, card_sequence=2, card_digest="x", profile=made, profile_digest=digest(made),
        identity=Identity(), identity_digest="i", compiler_version="1", client_digest="c",
    )  # fmt: skip
    tracked = AgentTracked(agent="pricing", target=Target(kind="card-url", value=where), endpoints=endpoints)
    pin = LockfilePinned(agent="pricing", workflow="trip", lockfile=lock, lock_digest="l")
    others = [operator_fact(event, "test") for event in (compiled, pin)]
    await bus.tell([operator_fact(tracked, "test"), card, *others])


def test_two_probers_with_the_same_job_spend_one_budget_once(tmp_path: Path) -> None:
    async def story(held: Desk) -> None:
        await held.until_only_messages_are_due()
        again = await asyncio.gather(*(held.sessions.work(JOB) for _ in range(4)))
        assert [waits for waits in again if waits == 0.0] == [0.0]
        await held.folded()
        assert await held.starts() == 1
        assert await held.sessions.work(JOB) == 0.0

    assert play(tmp_path, story) == 1


def test_trials_are_told_as_one_record_and_each_spends_the_budget(tmp_path: Path) -> None:
    async def story(held: Desk) -> None:
        await held.until_only_messages_are_due()
        assert await held.sessions.work(JOB) == 0.0
        record = next(one for one in await held.records() if one.probe == "streaming")
        assert (record.outcome, record.trials, record.passes) == ("held", 2, 2)
        assert await held.starts() == 2

    assert play(tmp_path, story, CONTRACT.model_copy(update={"budget": 2, "trials": 3})) == 2


def test_what_a_dead_prober_left_is_told_as_interrupted_and_not_sent_again(tmp_path: Path) -> None:
    async def story(held: Desk) -> None:
        await held.until_only_messages_are_due()
        held.proxy.lie("SendStreamingMessage", "silent")
        dying = asyncio.create_task(held.sessions.work(JOB))
        assert await asyncio.to_thread(held.proxy.silent.wait, PATIENCE_S)
        dying.cancel()
        await asyncio.gather(dying, return_exceptions=True)
        await held.folded()
        assert await held.sessions.work(JOB) == 0.0  # not yet: it may still be at work
        assert await held.starts() == 1
        later = replace(held.sessions, clock=lambda: datetime.now(UTC) + timedelta(minutes=5))
        assert await later.work(JOB) == 0.0
        await held.folded()
        record = next(one for one in await held.records() if one.probe == "streaming")
        assert (record.outcome, record.reason) == ("inconclusive", "interrupted")
        assert await later.work(JOB) == 0.0
        sent = [method for method, _, _ in held.proxy.calls if method == "SendStreamingMessage"]
        assert len(sent) == 1

    assert play(tmp_path, story, CONTRACT.model_copy(update={"budget": 9})) == 0


def test_messages_go_to_the_tenant_agreed_and_to_no_other(tmp_path: Path) -> None:
    async def story(held: Desk) -> None:
        await held.until_only_messages_are_due()
        assert await held.sessions.work(JOB) == 0.0
        sent = [json.loads(body) for body in held.proxy.bodies if body]
        tenants = {asked["method"]: asked["params"].get("tenant", "") for asked in sent}
        assert tenants == {"GetTask": "", "SendStreamingMessage": "sandbox"}

    play(tmp_path, story, CONTRACT.model_copy(update={"tenant": "sandbox"}))


def test_nothing_leaves_in_quiet_hours(tmp_path: Path) -> None:
    async def story(held: Desk) -> None:
        await held.folded()
        assert await held.sessions.work(JOB) == 0.0
        assert held.proxy.calls == []
        assert await held.records() == []

    quiet = SafetyContract.model_validate({"message": MESSAGE, "quiet": [{"start": "00:00", "end": "00:00"}]})
    assert play(tmp_path, story, quiet) == 0
