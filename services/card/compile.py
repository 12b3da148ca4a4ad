"""A card → the effective profile for one client. Names, descriptions and examples never influence it."""

from cardtrail.events.model.card import AgentCard
from cardtrail.events.model.policy import ClientCapabilities
from cardtrail.events.model.profile import Alternative, Extension, Profile, Reason, Scheme
from cardtrail.services.card.endpoint import member_at, unfit_interface
from cardtrail.services.card.extensions import compile_extensions, unknown_required
from cardtrail.services.card.interface import Selection, select
from cardtrail.services.card.paths import visible
from cardtrail.services.card.security import compile_requirements, compile_schemes, unsupported
from cardtrail.services.card.skills import compile_skills

COMPILER_VERSION = "2"
"""Rises when the same card and client give another profile; profiles of older versions are compiled anew from the body."""
HEAVIEST = 192 * 1024
"""Characters; a small card whose many skills all take many default modes would grow without bound."""


def compile_profile(card: AgentCard, client: ClientCapabilities) -> Profile:
    """The profile; unusable with reasons where this client cannot call the agent at all, or could not keep what it says."""
    weight = _weight(card)
    if weight > HEAVIEST:
        detail = f"the modes of all skills take {weight} characters; at most {HEAVIEST} can be kept"
        return Profile(
            usable=False, shape=card.shape, reasons=(Reason(code="profile-too-large", detail=detail, path="$.skills"),)
        )
    selection = select(card.supported_interfaces, client)
    flags = card.capabilities
    extensions = compile_extensions(flags.extensions, client)
    schemes = compile_schemes(card.security_schemes)
    security = compile_requirements(card.security_requirements)
    reasons = _reasons(card, client, selection, extensions, schemes, security)
    provenance = _provenance(card, selection)
    return Profile.trusted(
        {
            "usable": not reasons,
            "reasons": tuple(reasons),
            "shape": card.shape,
            "interface": selection.chosen,
            "interfaces": selection.interfaces,
            "sdk_choice": selection.sdk_choice,
            "streaming": flags.streaming is True,
            "push": flags.push_notifications is True,
            "extended_card": flags.extended_agent_card is True,
            "extensions": extensions,
            "schemes": schemes,
            "security": security,
            "security_reading": _READING,
            "default_input": card.default_input_modes,
            "default_output": card.default_output_modes,
            "skills": compile_skills(card, provenance),
            "provenance": provenance,
        }
    )


def _weight(card: AgentCard) -> int:
    """Characters of all modes of all skills, the defaults counted for each skill that takes them."""
    usual = (_length(card.default_input_modes), _length(card.default_output_modes))
    weight = 0
    for skill in card.skills:
        weight += _length(skill.input_modes) if skill.input_modes else usual[0]
        weight += _length(skill.output_modes) if skill.output_modes else usual[1]
    return weight


def _length(modes: tuple[str, ...]) -> int:
    return len("".join(modes)) + 3 * len(modes)


def _reasons(  # noqa: PLR0913, PLR0917 — everything that can make an agent unusable
    card: AgentCard,
    client: ClientCapabilities,
    selection: Selection,
    extensions: tuple[Extension, ...],
    schemes: dict[str, Scheme],
    security: tuple[Alternative, ...],
) -> list[Reason]:
    reasons = []
    reasons += _unfit(card, client, selection)
    if selection.chosen is None and not reasons:
        path = card.supported_interfaces[0].at.partition("[")[0] if card.supported_interfaces else "$"
        reasons.append(Reason(code="no-shared-interface", detail=_offers(card, client), path=path))
    if extensions:
        reasons += unknown_required(extensions, {e.uri: e.at for e in reversed(card.capabilities.extensions)})
    if security:
        foreign = unsupported(security, schemes, client)
        reasons += [] if foreign is None else [foreign]
    return reasons


def _unfit(card: AgentCard, client: ClientCapabilities, selection: Selection) -> list[Reason]:
    """Where no endpoint is left: the first of those the client speaks that no request reaches."""
    if selection.chosen is not None:
        return []
    for served, interface in zip(card.supported_interfaces, selection.interfaces, strict=True):
        spoken = (interface.binding, interface.version) in client.interfaces
        if spoken and (why := unfit_interface(interface)):
            return [
                Reason(code="interface-unfit", detail=f"{interface.binding} {interface.version}: {why}", path=served.at)
            ]
    return []


def _offers(card: AgentCard, client: ClientCapabilities) -> str:
    """What is offered, and what would be taken instead, in one sentence."""
    stated = ((one.protocol_binding or "no binding", one.protocol_version) for one in card.supported_interfaces)
    offered = sorted(
        {f"{binding} {version}" if version else f"{binding} without a version" for binding, version in stated}
    )
    taken = ", ".join(" ".join(pair) for pair in client.interfaces) or "none at all"
    offers = "offers " + ", ".join(offered)
    return f"{visible(offers[:200])}; the client takes {visible(taken[:200])}"


def _provenance(card: AgentCard, selection: Selection) -> dict[str, str]:
    """Where each value outside the skills comes from; an absent flag comes from nowhere."""
    found = {"default_input": card.at["default_input_modes"], "default_output": card.at["default_output_modes"]}
    if selection.served is not None:
        served = selection.served
        found["interface.url"] = member_at(served, "url")
        found["interface.binding"] = member_at(served, "protocolBinding")
        found["interface.version"] = member_at(served, "protocolVersion")
        if served.tenant is not None:
            found["interface.tenant"] = f"{served.at}.tenant"
    for name, member in _FLAGS.items():
        if member in card.capabilities.at:
            found[name] = card.capabilities.at[member]
    for extension in card.capabilities.extensions:
        found.setdefault(f"extensions.{extension.uri}", extension.at)
    for name, scheme in card.security_schemes.items():
        found[f"schemes.{name}"] = scheme.at
    if card.security_requirements:
        found["security"] = card.security_requirements[0].at.rpartition("[")[0]
    return found


_READING: str = Profile.model_fields["security_reading"].default
_FLAGS = {"streaming": "streaming", "push": "push_notifications", "extended_card": "extended_agent_card"}
