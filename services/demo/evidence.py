"""The story of a claim that the card still makes and the agent keeps no longer: calls and probes as facts, an owner told once."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from cardtrail.events import ChangeDecided, DeadlinePassed, Event, LockfilePinned, ProbeRecorded, Stored
from cardtrail.events.fact import instant
from cardtrail.events.model.lockfile import Lockfile
from cardtrail.events.owner_notified import OwnerNotified
from cardtrail.services.demo import cards, travel
from cardtrail.services.demo.planning import refused_call
from cardtrail.services.demo.stage import Received, Stage
from cardtrail.services.verdict.lock import lock_digest

HOOKS, CHANNEL, VARIABLE = "hooks.ours.example", "travel-team", "TRAVEL_TEAM_HOOK"
HOSTS = (cards.PRICING, cards.FARES, HOOKS)
FOLDS = (
    ("compiler", "compiler"),
    ("decider", "decider"),
    ("prober", "probing"),
    ("observer", "known"),
    ("notifier", "notices"),
    ("projector", "routes/public"),
)
_TESTS = ("binding-answers", "streaming", "input-mode", "output-mode")
_CONTRACT = f"""
[agents.pricing.contract]
skill = "{cards.SKILL}"
agreed_with = "Ada at Partner Pricing, 2 October"
budget = 48
rate_s = 0
message = {{ parts = [ {{ data = {{ dry = true }}, mediaType = "application/json" }} ] }}
[probes]
retry = "1s"
[channels.{CHANNEL}]
url_env = "{VARIABLE}"
networks = ["127.0.0.0/8"]
[hosts]
"{HOOKS}" = "127.0.0.1"
"""


@dataclass(frozen=True)
class Turn:
    """One turn of the story: tests as they were recorded, what planner and owner got, who is used now."""

    title: str
    probes: tuple[ProbeRecorded, ...] = ()
    call: str = ""
    received: Received | None = None
    notified: tuple[OwnerNotified, ...] = ()
    messages: tuple[str, ...] = ()
    route: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Mark:
    """A moment: how many decisions the planner had received, and the last fact's sequence."""

    received: int
    log: int


def settings(port: int) -> str:
    """The agents of the travel story, what was agreed with one of them, and where its owners are told."""
    return travel.settings(port).replace("[hosts]\n", _CONTRACT.strip() + "\n", 1)


def hook(port: int) -> dict[str, str]:
    """The owners' webhook: a secret, so it comes from the environment."""
    return {VARIABLE: f"https://{HOOKS}:{port}/hook"}


async def perform(stage: Stage) -> AsyncIterator[Lockfile | Turn]:
    """The lock as it is pinned, then one turn after the other."""
    for agent in ("pricing", "fares"):
        await stage.look(agent)
    made = travel.lock_for(cards.pricing(stage.host.port), datetime.now(UTC))
    lock = made.model_copy(update={"channel": CHANNEL})
    await stage.tell(
        LockfilePinned(agent="pricing", workflow=travel.WORKFLOW, lockfile=lock, lock_digest=lock_digest(lock))
    )
    yield lock
    yield await _tested(stage)
    stage.host.really_streams[cards.PRICING] = False
    yield await _failed(stage)
    stage.host.really_streams[cards.PRICING] = True
    yield await _repaired(stage)


async def _tested(stage: Stage) -> Turn:
    """Every claim that the lock needs was tried once."""
    probes = await stage.until(_all_tested)
    await stage.settled()
    return Turn(
        "Every claim that the lock needs is tested, as was agreed with the provider", probes, route=_route(stage)
    )


async def _failed(stage: Stage) -> Turn:
    """A call fails, is reported, and the claim behind it is put to the test."""
    before = await _mark(stage)
    call = await refused_call(stage)
    probe = await stage.until(lambda facts: _probe(facts, before.log, "contradicted"))
    await stage.until(lambda facts: _notified(facts, before.log))
    await stage.settled()
    return await _turn(stage, "The agent streams no longer; its card still says that it does", probe, before, call)


async def _repaired(stage: Stage) -> Turn:
    """The provider has repaired it, and an operator asks for the probe."""
    before = await _mark(stage)
    await stage.tell(
        DeadlinePassed(agent="pricing", what="probe", due=instant(datetime.now(UTC)), fingerprint="streaming")
    )
    probe = await stage.until(lambda facts: _probe(facts, before.log, "held"))
    await stage.until(lambda facts: _notified(facts, before.log))
    await stage.settled()
    return await _turn(stage, "It is repaired, and the claim is tested again", probe, before)


async def _mark(stage: Stage) -> Mark:
    return Mark(len(stage.received), (await stage.system.bus.info()).last)


async def _turn(stage: Stage, title: str, probe: ProbeRecorded, before: Mark, call: str = "") -> Turn:
    facts = await stage.facts()
    notified = tuple(event for event in _events(facts, before.log) if isinstance(event, OwnerNotified))
    return Turn(
        title=title,
        probes=(probe,),
        call=call,
        received=next(
            (one for one in reversed(stage.received[before.received :]) if one.decision.agent == "pricing"), None
        ),
        notified=notified,
        messages=tuple(str(body.get("summary")) for body in stage.host.hooks[-len(notified) :]),
        route=_route(stage),
    )


def _all_tested(facts: list[Stored]) -> tuple[ProbeRecorded, ...] | None:
    found = {event.probe: event for event in _events(facts, 0) if isinstance(event, ProbeRecorded) and _ours(event)}
    return tuple(found[name] for name in _TESTS) if set(_TESTS) <= set(found) else None


def _probe(facts: list[Stored], after: int, outcome: str) -> ProbeRecorded | None:
    found = (event for event in _events(facts, after) if isinstance(event, ProbeRecorded) and _ours(event))
    return next((event for event in found if event.probe == "streaming" and event.outcome == outcome), None)


def _notified(facts: list[Stored], after: int) -> OwnerNotified | None:
    return next((event for event in _events(facts, after) if isinstance(event, OwnerNotified)), None)


def _events(facts: list[Stored], after: int) -> list[Event]:
    return [stored.fact.data for stored in facts if stored.sequence > after]


def _ours(event: ProbeRecorded | ChangeDecided) -> bool:
    return event.agent == "pricing"


def _route(stage: Stage) -> dict[str, Any]:
    return stage.routes.get((travel.WORKFLOW, cards.SKILL), {})
