"""Schemes and alternatives in profile form: what decides a call, without descriptions (A2A §4.5)."""

from cardtrail.events.model.card import SecurityRequirement, SecurityScheme
from cardtrail.events.model.policy import ClientCapabilities
from cardtrail.events.model.profile import Alternative, Reason, Scheme


def compile_schemes(schemes: dict[str, SecurityScheme]) -> dict[str, Scheme]:
    """The declared schemes by name; HTTP scheme names lose their case (RFC 9110 §11.1)."""
    return {name: _scheme(scheme) for name, scheme in schemes.items()}


def _scheme(scheme: SecurityScheme) -> Scheme:
    return Scheme.trusted(
        {
            "kind": scheme.kind,
            "flow": scheme.flow,
            "location": scheme.location,
            "parameter": scheme.parameter,
            "http_scheme": scheme.http_scheme.lower() if scheme.http_scheme else None,
            "pkce_required": scheme.pkce_required,
            "urls": scheme.urls,
            "problem": scheme.problem,
        }
    )


def parameter_name(scheme: Scheme) -> str | None:
    """What a key's parameter is told by: header fields have no case (RFC 9110 §5.1), queries and cookies have."""
    return scheme.parameter.lower() if scheme.parameter and scheme.location == "header" else scheme.parameter


def compile_requirements(requirements: tuple[SecurityRequirement, ...]) -> tuple[Alternative, ...]:
    """The alternatives in the card's order, each once."""
    found = {tuple(sorted(requirement.schemes.items())): requirement.schemes for requirement in requirements}
    return tuple([Alternative.trusted({"schemes": schemes}) for schemes in found.values()])


def unsupported(
    alternatives: tuple[Alternative, ...], schemes: dict[str, Scheme], client: ClientCapabilities
) -> Reason | None:
    """Why this kind of client can never be let in; None where one alternative holds only what it implements.

    Whether a workflow holds the credentials is for its lock to say; so is a scheme that is undeclared or unreadable.
    """
    lacking: list[str] = []
    for alternative in alternatives:
        foreign = [name for name in alternative.schemes if name in schemes and not _implements(client, schemes[name])]
        if not foreign:
            return None
        lacking += foreign
    if not lacking:
        return None
    kinds = sorted({schemes[name].kind for name in lacking})
    return Reason(code="no-supported-security", detail=f"every alternative needs one of {', '.join(kinds)}")


def _implements(client: ClientCapabilities, scheme: Scheme) -> bool:
    kind = scheme.kind
    return kind == "unreadable" or kind in client.schemes or f"{kind}/{scheme.flow}" in client.schemes
