"""One fact at its permanent address: the envelope, what it says in words, the event as stored, what it points to. Pure."""

from typing import Any

from pydantic_core import from_json

from cardtrail.events import AgentEvent, CardFetched, CardRefused, Stored
from cardtrail.events.canonical import raw_digest
from cardtrail.events.fact import encode, instant
from cardtrail.events.model.value import Value
from cardtrail.projections.outcome import outcome
from cardtrail.services.cli.live.words import said


class FactView(Value):
    """The page; `digest` is sha256 over the bytes as stored, `body` the digest of the raw card it names, "" where none."""

    format: str = "cardtrail.page.fact/1"
    sequence: int
    stored_at: str
    time: str
    id: str
    kind: str
    source: str
    agent: str
    principal: str
    words: str
    digest: str
    body: str
    same_as: int | None
    causation: str
    event: dict[str, Any]


class CardView(Value):
    """A raw card as it was served; `text` None where its bytes are gone."""

    format: str = "cardtrail.page.card/1"
    sequence: int
    agent: str
    principal: str
    digest: str
    size: int
    text: str | None


def fact_view(stored: Stored) -> FactView:
    """From the log."""
    fact, event = stored.fact, stored.fact.data
    raw = stored.raw or encode(fact)
    told = isinstance(event, AgentEvent)
    return FactView(
        sequence=stored.sequence,
        stored_at=instant(stored.stored_at),
        time=instant(fact.time),
        id=str(fact.id),
        kind=event.kind,
        source=fact.source,
        agent=event.agent if isinstance(event, AgentEvent) else "",
        principal=event.principal if isinstance(event, AgentEvent) else "",
        words=said(event)[1] if told else " ".join(part for part in outcome(event) if part),
        digest=raw_digest(raw),
        body=event.raw_digest if isinstance(event, CardFetched | CardRefused) else "",
        same_as=event.same_as if isinstance(event, CardFetched) else None,
        causation=str(fact.causation) if fact.causation else "",
        event=from_json(raw),
    )


def card_view(view: FactView, data: bytes | None) -> CardView:
    """The bytes as text; what is no UTF-8 is shown as a sign."""
    return CardView(
        sequence=view.sequence,
        agent=view.agent,
        principal=view.principal,
        digest=view.body,
        size=len(data or b""),
        text=None if data is None else data.decode("utf-8", "replace"),
    )
