"""Requirements against declared schemes: undeclared, unused, scopes that no flow offers (A2A §4.5)."""

from cardtrail.events.model.card import AgentCard, SecurityRequirement
from cardtrail.services.card.notes import Notes
from cardtrail.services.card.paths import member


def validate_security(card: AgentCard, notes: Notes) -> None:
    """Note what no caller could satisfy, and what protects nothing."""
    used: set[str] = set()
    requirements = [*card.security_requirements]
    for skill in card.skills:
        requirements += skill.security_requirements or ()
    offered = {name: frozenset(scheme.scopes) for name, scheme in card.security_schemes.items()}
    for requirement in requirements:
        for name, scopes in requirement.schemes.items():
            used.add(name)
            if name not in offered:
                notes.note("CT040", requirement.at, name=name, among=offered)
            elif offered[name] and not offered[name].issuperset(scopes):
                _unoffered(requirement, name, offered[name], notes)
    for name, scheme in card.security_schemes.items():
        if name not in used:
            notes.note("CT041", scheme.at, name=name)


def _unoffered(requirement: SecurityRequirement, name: str, offered: frozenset[str], notes: Notes) -> None:
    inner = f"{requirement.at}.schemes" if requirement.shape in ("1.0", "bare-list") else requirement.at
    for scope in requirement.schemes[name]:
        if scope not in offered:
            notes.note("CT051", member(inner, name), found=scope, among=offered)
