"""What is wrong with a lifted card, as numbered findings; nothing here refuses a card or changes it."""

from cardtrail.events.model.card import AgentCard
from cardtrail.services.card.notes import Notes
from cardtrail.services.card.texts import first_odd, text_findings, texts
from cardtrail.services.card.validate_endpoints import validate_endpoints
from cardtrail.services.card.validate_security import validate_security
from cardtrail.services.card.validate_skills import validate_extensions, validate_skills

_TEXT_CODES = {"invisible": "CT090", "bidi": "CT091", "control": "CT092", "instructs": "CT093"}


def validate(card: AgentCard, notes: Notes, origin: str | None = None) -> None:
    """Note every finding; `origin` is the URL the card was served from, where it was."""
    validate_endpoints(card, notes, origin)
    validate_security(card, notes)
    validate_skills(card, notes)
    validate_extensions(card.capabilities.extensions, notes)
    _validate_texts(card, notes)


def _validate_texts(card: AgentCard, notes: Notes) -> None:
    findings = text_findings(card)
    if not findings:
        return
    found = {(finding.path, finding.kind): finding.count for finding in findings}
    first: dict[tuple[str, str], str] = {}
    for path, text in texts(card):
        for kind in _TEXT_CODES:
            if (path, kind) in found and (path, kind) not in first and (odd := first_odd(text, kind)):
                first[path, kind] = odd
    for (path, kind), count in found.items():
        notes.note(_TEXT_CODES[kind], path, count=count, found=first.get((path, kind), ""))
