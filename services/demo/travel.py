"""The travel planner's story: one lock, five changes of a card, each told as a scene."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from cardtrail.events import CardFetched, ChangeDecided, LockfilePinned, Stored
from cardtrail.events.fact import dump
from cardtrail.events.model.lockfile import Candidate, Lockfile
from cardtrail.events.model.policy import ClientCapabilities
from cardtrail.services.card.compile import compile_profile
from cardtrail.services.card.identify import identify
from cardtrail.services.card.read import CardReading, read_card
from cardtrail.services.demo import cards
from cardtrail.services.demo.stage import Received, Stage
from cardtrail.services.verdict.lock import lock_digest
from cardtrail.services.verdict.pin import pin
from cardtrail.services.verdict.structure import Structure, compare

WORKFLOW = "trip-planner"
Card = dict[str, Any]


@dataclass(frozen=True)
class Scene:
    """One change: what the agent did, what was fetched, how the card differs, what was decided and what the planner got."""

    title: str
    observed: CardFetched | None
    difference: Structure
    decision: ChangeDecided | None
    received: Received | None
    route: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Act:
    """A title and the card that the pricing agent serves from then on."""

    title: str
    card: Callable[[Card, int], Card]


ACTS = (
    Act("The agent rewords its card, moves its members and adds a skill", lambda card, _: cards.reworded(card)),
    Act("A new version prefers HTTP+JSON", lambda card, port: cards.preferring_http(cards.reworded(card), port)),
    Act("The skill now answers application/pdf", lambda card, _: cards.answering_pdf(card)),
    Act("JSON is back, but the skill wants one more scope", lambda card, _: cards.wanting_more(card)),
    Act("All is as it was", lambda card, _: card),
)


def settings(port: int) -> str:
    """The agents of the story; a partner is looked at daily, here on cue."""
    blocks = []
    for name, host in (("pricing", cards.PRICING), ("fares", cards.FARES)):
        blocks.append(f'[agents.{name}]\nbase_url = "https://{host}:{port}"\nnetworks = ["127.0.0.0/8"]\n')
    names = "".join(f'"{host}" = "127.0.0.1"\n' for host in (cards.PRICING, cards.FARES))
    return f"[hosts]\n{names}" + "".join(blocks)


def lock_for(card: Card, now: datetime) -> Lockfile:
    """What the workflow needs: streaming, one skill with JSON in and out under one scope; a stand-in and a person behind it."""
    reading = read_card(dump(card))
    if reading.card is None:
        raise AssertionError("the bundled card is a card")
    profile = compile_profile(reading.card, ClientCapabilities())
    made = pin(
        profile,
        identify(reading.card),
        workflow=WORKFLOW,
        agent="pricing",
        card_digest="",
        now=now,
        skills=(cards.SKILL,),
        streaming=True,
        owner="mira",
        with_baseline=False,
    )
    return made.model_copy(
        update={"fallback": (Candidate(agent="fares"),), "person": "the travel desk", "card_digest": ""}
    )


async def perform(stage: Stage) -> AsyncIterator[Lockfile | Scene]:
    """The lock as it is pinned, then one scene per act."""
    original = cards.pricing(stage.host.port)
    for agent in ("pricing", "fares"):
        await stage.look(agent)
    lock = lock_for(original, datetime.now(UTC))
    await stage.tell(LockfilePinned(agent="pricing", workflow=WORKFLOW, lockfile=lock, lock_digest=lock_digest(lock)))
    yield lock
    served = original
    for act in ACTS:
        card = act.card(original, stage.host.port)
        told = len(stage.received)
        stage.host.publish(cards.PRICING, card)
        seen = await stage.look("pricing")
        yield _scene(act, stage, seen, (_read(served), _read(card)), stage.received[told:])
        served = card


def _read(card: Card) -> CardReading:
    return read_card(dump(card))


def _scene(act: Act, stage: Stage, seen: Stored, pair: tuple[CardReading, CardReading], told: list[Received]) -> Scene:
    event = seen.fact.data
    last = next((one for one in reversed(told) if one.decision.agent == "pricing"), None)
    return Scene(
        title=act.title,
        observed=event if isinstance(event, CardFetched) else None,
        difference=compare(*pair),
        decision=last.decision if last else None,
        received=last,
        route=stage.routes.get((WORKFLOW, cards.SKILL), {}),
    )
