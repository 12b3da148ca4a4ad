"""Who a card says it is, and who signed it: everything that is not capability, for people to judge."""

from cardtrail.events.card_fetched import SignatureSummary
from cardtrail.events.model.card import AgentCard
from cardtrail.events.model.profile import Identity
from cardtrail.services.card.canonical_forms import PRUNED_FORMS
from cardtrail.services.card.texts import text_findings

_LONGEST = 512


def identify(card: AgentCard, signature: SignatureSummary | None = None) -> Identity:
    """The identity block; without a summary the signatures count as absent, or as unverifiable where the card has some."""
    if signature is None:
        signature = SignatureSummary(outcome="unverifiable" if card.signatures else "absent")
    return Identity(
        name=_cut(card.name),
        version=_cut(card.version),
        provider=_cut(card.provider.organization or card.provider.url) if card.provider else "",
        signature=signature.outcome,
        signer=signature.signer,
        signers=signature.signers,
        form=signature.form,
        covers_security=_covers_security(card, signature),
        legacy_security=card.legacy_security,
        text_findings=text_findings(card),
    )


def _cut(text: str) -> str:
    """A text as a fact can carry it: who makes more of themselves is known by how it begins, and how long it is."""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 20]}… {len(text)} characters"


def _covers_security(card: AgentCard, signature: SignatureSummary) -> bool:
    if signature.outcome != "verified":
        return True
    secured = card.security_schemes or card.security_requirements or any(s.security_requirements for s in card.skills)
    return not (secured and signature.form in PRUNED_FORMS) and not any(
        "ecurity" in path for path in signature.uncovered
    )
