"""The one way from bytes to a card: parse, recognise, lift, validate; an unusable document gives a refusal, never an error."""

from functools import cached_property
from typing import Any

from cardtrail.events.errors import DocumentRefused
from cardtrail.events.model.card import AgentCard, Shape
from cardtrail.events.model.finding import Diagnostic
from cardtrail.services.card.document import LIMITS, Document, Limits
from cardtrail.services.card.lift import lift
from cardtrail.services.card.notes import Notes
from cardtrail.services.card.parse import parse
from cardtrail.services.card.shape import recognise
from cardtrail.services.card.spelling import Respelled, is_spelled_otherwise
from cardtrail.services.card.validate import validate


class CardReading:
    """What came of one document: a card, or the refusal; exactly one of the two is set."""

    def __init__(
        self,
        shape: Shape,
        card: AgentCard | None,
        refusal: DocumentRefused | None,
        document: Document | None,
        notes: Notes | None,
    ) -> None:
        """Keep what was found; findings are put into words when they are asked for."""
        self.shape, self.card, self.refusal, self.document, self._notes = shape, card, refusal, document, notes

    @cached_property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """All findings, worst first, each with its place."""
        if self.document is None:
            return ()
        return self._notes.diagnostics(self.document) if self._notes else self.document.notes


def read_card(data: bytes, origin: str | None = None, limits: Limits = LIMITS) -> CardReading:
    """Read one document; with `origin`, the URL the card came from, endpoints and credential URLs elsewhere are noted."""
    try:
        document = parse(data, limits)
    except DocumentRefused as refusal:
        return CardReading("not-a-card", None, refusal, None, None)
    try:
        card, notes = _lifted(document.value, origin)
    except DocumentRefused as refusal:
        return CardReading(_refused_shape(document.value, refusal), None, _placed(refusal, document), document, None)
    return CardReading(card.shape, card, None, document, notes)


def _lifted(value: Any, origin: str | None) -> tuple[AgentCard, Notes]:  # noqa: ANN401 — any JSON value
    try:
        card, notes = _read(value, origin)
        if not notes.misspelled:
            return card, notes
    except DocumentRefused:
        if type(value) is not dict or not is_spelled_otherwise(value):
            raise
    return _respelled(value, origin)


def _respelled(value: dict[str, Any], origin: str | None) -> tuple[AgentCard, Notes]:
    before = Notes()
    respelled = Respelled(value, before)
    try:
        card, notes = _read(respelled.card, origin)
    except DocumentRefused as refusal:
        refusal.path = respelled.place(refusal.path)
        raise
    notes.continue_from(before, respelled.place)
    return respelled.retold(card), notes


def _read(value: Any, origin: str | None) -> tuple[AgentCard, Notes]:  # noqa: ANN401 — any JSON value
    shape = recognise(value)
    notes = Notes(shape, legacy_body=not value.get("supportedInterfaces"))
    card = lift(value, notes)
    validate(card, notes, origin)
    return card, notes


def _refused_shape(value: Any, refusal: DocumentRefused) -> Shape:  # noqa: ANN401 — any JSON value
    if refusal.code in ("not-a-card", "no-endpoint"):
        return "1.0" if refusal.path == "$.supportedInterfaces" else "not-a-card"
    try:
        return recognise(value)
    except DocumentRefused:
        return "not-a-card"


def _placed(refusal: DocumentRefused, document: Document) -> DocumentRefused:
    refusal.line, refusal.column = document.place(refusal.path)
    return refusal
