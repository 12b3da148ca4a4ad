"""What a person should know about a card's signatures, as findings with a place in the document."""

from collections.abc import Iterator

from cardtrail.events.model.finding import Diagnostic
from cardtrail.services.card.canonical_forms import PRUNED_FORMS, SECURITY_MEMBERS
from cardtrail.services.card.catalogue import diagnostic
from cardtrail.services.card.document import Document
from cardtrail.services.card.paths import shown
from cardtrail.services.card.verification import SignatureResult, Verification


def signature_findings(verification: Verification, document: Document) -> tuple[Diagnostic, ...]:
    """Findings about every signature, in the card's order, then about the key set; none for an unsigned card."""
    found = [
        finding
        for result in verification.signatures
        for finding in _about(result, f"$.signatures[{result.index}]", document)
    ]
    found += [diagnostic("CT206", "$.signatures", problem=shown(problem)) for problem in verification.problems]
    return tuple(found)


def _about(result: SignatureResult, at: str, document: Document) -> Iterator[Diagnostic]:
    place = document.place(at)
    facts = {"kid": shown(result.kid), "reason": result.reason, "detail": result.detail, "todo": result.hint}
    if result.reason == "rewritten":
        yield diagnostic("CT202", at, place, paths=", ".join(one.path for one in result.differences[:4]), **facts)
    elif result.outcome != "verified":
        yield diagnostic("CT200" if result.outcome == "invalid" else "CT201", at, place, **facts)
    elif set(SECURITY_MEMBERS) & set(result.uncovered):
        pruned = next((form for form in result.forms if form in PRUNED_FORMS), result.form)
        yield diagnostic("CT203", at, place, form=pruned)
    others = [path for path in result.uncovered if path not in SECURITY_MEMBERS]
    if others:
        yield diagnostic("CT204", at, place, count=len(others), first=others[0])
    for note in result.notes:
        yield diagnostic("CT205", at, place, note=note.replace("-", " "))
