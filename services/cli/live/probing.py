"""Asking for tests of an agent's claims: refused here where nothing was agreed, told as a fact where it was, and waited for."""

import asyncio

from cardtrail.events import DeadlinePassed, ProbeRecorded, Stored
from cardtrail.events.errors import Unreachable, UsageError
from cardtrail.events.fact import instant
from cardtrail.events.model.evidence import Claim
from cardtrail.services.bus.kv_read import read_row
from cardtrail.services.bus.past import facts_about
from cardtrail.services.bus.scheduling import SHARED
from cardtrail.services.cli.live.directory import directory
from cardtrail.services.cli.live.tracker import Tracker
from cardtrail.services.cli.outputs.probe import ProbeOutput, ProbeTest
from cardtrail.services.contract import SafetyContract
from cardtrail.services.declare import AgentKey
from cardtrail.services.kept import Kept, read, table
from cardtrail.services.prober.agenda import NAME
from cardtrail.services.prober.allowance import disagreed, refusal
from cardtrail.services.prober.memory import Checks, Subject
from cardtrail.services.prober.plan import asked
from cardtrail.services.prober.probes import PROBES
from cardtrail.services.telling import operator_fact

_AGAIN_S = 0.05
Tests = tuple[tuple[str, Claim], ...]


async def probe(tracker: Tracker, given: str, principal: str | None, name: str, wait_s: float) -> ProbeOutput:
    """Have an agent's claims tested now, and what came of it.

    Raises:
        UsageError: `agent-unknown`, `principal-unknown`; `probe-not-agreed`, nothing may be sent, with the reason;
            `probe-not-now`, it may later. Unreachable: `probe-unanswered`.
    """
    key = (await directory(tracker.bus)).agent(given, principal)
    held = tracker.settings.agents.get(key[0])
    contract = held.contract if held is not None else None
    subject, checks = await _row(tracker, Subject, key), await _row(tracker, Checks, key)
    tests = asked(subject, checks, name, contract)
    if not tests:
        message, hint = _why(subject, name, contract, key[0])
        raise UsageError("probe-not-agreed", message, hint=hint)
    runs = any(PROBES[test].runs_message for test, _ in tests)
    why = refusal(contract, runs_message=runs, spent=checks.spent, now=tracker.now()) if runs else ""
    if why:
        raise UsageError("probe-not-now", f"{why}: the safety contract lets nothing leave now", hint="ask again later")
    event = DeadlinePassed(agent=key[0], principal=key[1], what="probe", due=instant(tracker.log.at), fingerprint=name)
    tracker.must_work()
    (after,) = await tracker.bus.tell([operator_fact(event, "cli")])
    found = await _recorded(tracker, key, tests, after, wait_s)
    return ProbeOutput(format="cardtrail.probe/1", agent=key[0], principal=key[1], tests=tuple(found))


def _why(subject: Subject, name: str, contract: SafetyContract | None, agent: str) -> tuple[str, str]:
    """Message and hint: why nothing may be sent."""
    profile = subject.profile
    if profile is None or profile.interface is None:
        return "nothing usable is known of this agent yet", f"cardtrail refresh {agent}"
    if not name:
        return "no lock needs a claim of this agent", "name one with --probe"
    claims = PROBES[name].claims(profile)
    if not claims:
        return f"the card makes no claim that {name} could test", f"cardtrail show {agent}"
    reasons = {disagreed(contract, PROBES[name], claim, profile.interface, subject.home) for claim in claims}
    return f"{name} may run a message: {', '.join(sorted(reasons))}", f"agree on [agents.{agent}.contract]"


async def _row(tracker: Tracker, kind: type[Kept], key: AgentKey) -> Kept:
    row = await read_row(tracker.bus, NAME, SHARED, table(kind), key)
    return read(kind, row) or kind()


async def _recorded(tracker: Tracker, key: AgentKey, tests: Tests, after: int, wait_s: float) -> list[ProbeTest]:
    found: dict[tuple[str, Claim], ProbeTest] = {}
    try:
        async with asyncio.timeout(wait_s):
            while set(tests) - set(found):
                through = (await tracker.bus.info()).last
                async for stored in facts_about(tracker.bus, (key[0],), through, after=after):
                    if isinstance(stored, Stored) and isinstance(stored.fact.data, ProbeRecorded):
                        event = stored.fact.data
                        if event.principal == key[1]:
                            found[event.probe, event.claim] = _test(stored.sequence, event)
                after = through
                await asyncio.sleep(_AGAIN_S)
    except TimeoutError:
        hint = "its rate and budget may stretch over more time: --within; cardtrail doctor says who does not answer"
        raise Unreachable("probe-unanswered", f"{len(found)} of {len(tests)} within {wait_s:g} s", hint=hint) from None
    return [found[test] for test in tests]


def _test(sequence: int, event: ProbeRecorded) -> ProbeTest:
    told = event.model_dump(include=set(ProbeTest.model_fields) - {"claim", "sequence"})
    return ProbeTest(**told, claim=event.claim, sequence=sequence)
