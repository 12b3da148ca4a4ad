"""A recognised document → AgentCard, whatever generation it was served in; conventions, not guesses, say what is lifted."""

from typing import Any

from cardtrail.events.model.card import AgentCard, SecurityRequirement, SecurityScheme
from cardtrail.services.card.lift_authentication import lift_authentication
from cardtrail.services.card.lift_interfaces import lift_interfaces, note_ignored
from cardtrail.services.card.lift_requirements import lift_requirements
from cardtrail.services.card.lift_schemes import lift_schemes
from cardtrail.services.card.lift_skills import lift_capabilities, lift_provider, lift_signatures, lift_skills
from cardtrail.services.card.members import KNOWN, Json, require, strangers, strings, text
from cardtrail.services.card.notes import Notes

_CARD = KNOWN["AgentCard"]
_AT = {"default_input_modes": "$.defaultInputModes", "default_output_modes": "$.defaultOutputModes"}
_MOST_UNKNOWN = 200


def lift(card: Json, notes: Notes) -> AgentCard:
    """The card in internal form; what is wrong is noted.

    Raises:
        DocumentRefused: `wrong-type` with the JSON path, for a value that no convention lifts.
    """
    if not card.keys() <= _CARD:
        strangers(card, "AgentCard", "$", notes)
    require(card, "AgentCard", "$", notes)
    if notes.legacy_body:
        notes.note("CT080", "$", shape=notes.shape)
    interfaces = lift_interfaces(card, notes)
    if notes.shape == "hybrid" and not notes.legacy_body:
        note_ignored(card, interfaces, notes)
    schemes, requirements, malformed, skills_of = _security(card, notes)
    return AgentCard.trusted(
        {
            "shape": notes.shape,
            "name": text(card, "name", "$", notes),
            "description": text(card, "description", "$", notes),
            "version": text(card, "version", "$", notes),
            "supported_interfaces": interfaces,
            "provider": lift_provider(card, notes),
            "documentation_url": text(card, "documentationUrl", "$", notes) or None,
            "icon_url": text(card, "iconUrl", "$", notes) or None,
            "capabilities": lift_capabilities(card, notes),
            "security_schemes": schemes,
            "security_requirements": requirements,
            "legacy_security": malformed,
            "default_input_modes": strings(card, "defaultInputModes", "$", notes),
            "default_output_modes": strings(card, "defaultOutputModes", "$", notes),
            "skills": lift_skills(card, skills_of, notes),
            "signatures": lift_signatures(card, notes) if card.get("signatures") is not None else (),
            "unknown_members": tuple(notes.unknown[:_MOST_UNKNOWN]),
            "at": _AT,
        }
    )


def _security(
    card: Json, notes: Notes
) -> tuple[dict[str, SecurityScheme], tuple[SecurityRequirement, ...], str, dict[str, Any]]:
    """Schemes, the card's alternatives, the digest of an unreadable 0.1 block, and what each scheme name stands for."""
    schemes, declared = lift_schemes(card, notes)
    requirements = lift_requirements(card, "$", declared, notes)
    if card.get("authentication") is None:
        return schemes, requirements, "", declared
    if requirements:
        notes.note("CT081", "$.authentication", name="authentication")
        return schemes, requirements, "", declared
    older, alternatives, malformed = lift_authentication(card, notes)
    return {**older, **schemes}, alternatives, malformed, {**{name: (name,) for name in older}, **declared}
