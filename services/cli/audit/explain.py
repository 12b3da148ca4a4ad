"""Why a decision fell: the facts about its agent, the bodies of the cards it rests on, one answer."""

from cardtrail.events import ChangeDecided, PolicyDeclared, Stored
from cardtrail.events.errors import EventRefused
from cardtrail.events.fact import instant
from cardtrail.events.subjects import token
from cardtrail.events.upcast import decode
from cardtrail.services.audit.explain import Explaining
from cardtrail.services.audit.lock_start import Body
from cardtrail.services.bus.bus import Bus
from cardtrail.services.bus.past import facts_about, messages
from cardtrail.services.cli.audit.finding_facts import decision
from cardtrail.services.cli.live.directory import Directory, directory
from cardtrail.services.cli.live.story import told_fact
from cardtrail.services.cli.live.tracker import Tracker
from cardtrail.services.cli.live.turns import Turns, policy_of
from cardtrail.services.cli.outputs.explain import Beside, ExplainedCause, ExplainOutput
from cardtrail.services.cli.outputs.turns import Turning

POLICIES = f"cardtrail.ledger.{PolicyDeclared.kind}"


async def explain(tracker: Tracker, given: str) -> ExplainOutput:
    """All there is to say about one decision.

    Raises:
        UsageError: `fact-unknown`, `fact-ambiguous`.
    """
    bus, stored = tracker.bus, await decision(tracker.bus, given)
    event = stored.fact.data
    assert isinstance(event, ChangeDecided)  # noqa: S101 — `decision` gives nothing else
    known = await directory(bus)
    agent = known.called(event.agent, event.principal)
    fold, turns = Explaining(stored, event), Turns(policy_of(known))
    async for one in facts_about(bus, {*known.names(agent), event.agent}, tracker.log.last):
        if not isinstance(one, int):
            fold.tell(one)
            turns.tell(one)
    if fold.missing:
        await _beside(bus, fold)
    bodies = {body: data for body in fold.bodies() if (data := await _body(bus, body)) is not None}
    return ExplainOutput(
        format="cardtrail.explain/1",
        sequence=stored.sequence,
        id=stored.fact.id,
        stored_at=instant(stored.stored_at),
        agent=agent,
        decision=event,
        superseded_by=fold.superseded_by.sequence if fold.superseded_by else None,
        reasons=tuple(fold.reasons(bodies)),
        causes=tuple(ExplainedCause(role=each.role, **dict(told_fact(each.stored))) for each in fold.causes()),
        missing=fold.missing,
        stands=fold.stands,
        turning=next((one for one in turns.held() if _about(one, event)), None) if not fold.superseded_by else None,
        beside=tuple(await _others(bus, known, stored)) if given == event.workflow else (),
    )


def _about(one: Turning, event: ChangeDecided) -> bool:
    return (one.workflow, one.agent, one.principal) == (event.workflow, event.agent, event.principal)


async def _others(bus: Bus, known: Directory, told: Stored) -> list[Beside]:
    """The newest decisions about the other agents that the workflow's locks name, as its own or to stand in."""
    workflow = getattr(told.fact.data, "workflow", "")
    pins = [(key, pin) for key, pin in known.told.locks.items() if key[0] == workflow]
    named = {(name, key[2]) for key, pin in pins for name in (key[1], *(one.agent for one in pin.lockfile.fallback))}
    found = []
    for stored in (await bus.last(f"cardtrail.decisions.{token(workflow)}.>")).facts:
        event = stored.fact.data
        if not isinstance(event, ChangeDecided) or stored.sequence == told.sequence:
            continue
        if (event.agent, event.principal) in named:
            of = {"principal": event.principal, "verdict": event.verdict, "sequence": stored.sequence}
            found.append(Beside.model_validate({"agent": event.agent, **of}))
    return found


async def _beside(bus: Bus, fold: Explaining) -> None:
    """The lock of a candidate is the first agent's, and lies under that one's name; a policy lies under no agent's."""
    event = fold.event
    pins = f"cardtrail.events.*.*.{token(event.principal)}.lockfile-pinned.{token(event.workflow)}"
    async for message in messages(bus, [pins, POLICIES], fold.decision.sequence):
        try:
            fact = decode(message.data)
        except EventRefused:
            continue
        if fact.id in fold.missing:
            fold.tell(Stored(sequence=message.sequence, stored_at=message.stored_at, fact=fact, raw=message.data))


async def _body(bus: Bus, body: Body) -> bytes | None:
    agent, principal, digest = body
    return await bus.get_body(agent, principal, digest) if digest else None
