"""The digests by which cards are compared: `sha256:` + 64 hex over RFC 8785 JSON (A2A facts §12.5)."""

from collections.abc import Iterable
from typing import Any

from cardtrail.events.model.card import AgentCard, AgentCardSignature
from cardtrail.events.model.profile import Alternative, Extension, Identity, Interface, Profile, Scheme, SkillProfile
from cardtrail.services.card.endpoint import normal_url
from cardtrail.services.card.json_digest import in_order, json_digest, plain_digest
from cardtrail.services.card.members import KNOWN, SPELLINGS
from cardtrail.services.card.security import parameter_name
from cardtrail.services.card.spelling import INSIDE


def profile_digest(profile: Profile) -> str:
    """Over what decides calls: order counts only among endpoints; provenance, shape and the spelling of a URL do not."""
    chosen, choices = profile.interface, profile.sdk_choice
    urls = {interface.url for interface in (chosen, *profile.interfaces, *choices.values()) if interface is not None}
    spelled = {url: normal_url(url) for url in urls}
    return plain_digest(
        {
            "default_input": _modes(profile.default_input),
            "default_output": _modes(profile.default_output),
            "extended_card": profile.extended_card,
            "extensions": sorted([_extension(extension) for extension in profile.extensions]),
            "interface": None if chosen is None else _interface(chosen, spelled),
            "interfaces": [_interface(interface, spelled) for interface in profile.interfaces],
            "push": profile.push,
            "reasons": sorted({reason.code for reason in profile.reasons}),
            "schemes": in_order({name: _scheme(scheme) for name, scheme in profile.schemes.items()}),
            "sdk_choice": in_order({name: _interface(i, spelled) if i else None for name, i in choices.items()}),
            "security": _alternatives(profile.security),
            "skills": in_order({name: _skill(skill) for name, skill in profile.skills.items()}),
            "streaming": profile.streaming,
            "usable": profile.usable,
        }
    )


def identity_digest(identity: Identity) -> str:
    """Over name, version, provider, signer and what the texts hide; where in the card they hide it does not count."""
    value = identity.model_dump(exclude={"text_findings", "signers"})
    if len(identity.signers) > 1:
        value["signers"] = in_order(dict(identity.signers))
    value["text_findings"] = sorted({finding.kind for finding in identity.text_findings})
    return plain_digest(in_order(value))


def texts_digest(card: AgentCard) -> str:
    """Over the prose outside the identity: descriptions, examples, skill names, documentation and icon links."""
    return plain_digest(
        {
            "card": [card.description, card.documentation_url, card.icon_url],
            "extensions": sorted([extension.uri, extension.description] for extension in card.capabilities.extensions),
            "provider": card.provider.url if card.provider else None,
            "skills": sorted([skill.id, skill.name, skill.description, *skill.examples] for skill in card.skills),
        }
    )


def signatures_digest(signatures: Iterable[AgentCardSignature]) -> str:
    """Over the set of signatures, whatever alphabet or padding their base64 was given; "" where there is none."""
    found = sorted({(_url_safe(item.protected), _url_safe(item.signature)) for item in signatures})
    return plain_digest(found) if found else ""


def semantic_digest(value: Any) -> str:  # noqa: ANN401 — a document's value
    """Over a card as served without `signatures`, unknown members, nulls and other spellings of names; lists keep order."""
    if isinstance(value, dict):
        value = {name: item for name, item in value.items() if name != "signatures"}
    return json_digest(_meant(value, "AgentCard"))


def _meant(value: Any, message: str) -> Any:  # noqa: ANN401 — JSON in, JSON out
    if not isinstance(value, dict):
        return value
    found: dict[str, Any] = {}
    for served, item in value.items():
        name = SPELLINGS[message].get(served, served)
        if item is not None and name in KNOWN[message]:
            found[name] = _inside(item, *INSIDE[message].get(name, ("", "")))
    return found


def _inside(value: Any, kind: str, message: str) -> Any:  # noqa: ANN401 — JSON in, JSON out
    if kind == "list" and isinstance(value, list):
        return [_meant(item, message) for item in value]
    if kind == "map" and isinstance(value, dict):
        return {name: _meant(item, message) for name, item in value.items()}
    return _meant(value, message) if kind == "message" else value


def _interface(interface: Interface, spelled: dict[str, str]) -> list[Any]:
    return [spelled[interface.url], interface.binding, interface.version, interface.tenant, interface.supported]


def _extension(extension: Extension) -> list[Any]:
    params = json_digest(extension.params) if extension.params is not None else ""
    return [extension.uri, extension.required, extension.known, params]


def _scheme(scheme: Scheme) -> list[Any]:
    urls = in_order({name: normal_url(url) for name, url in scheme.urls.items()})
    parameter = parameter_name(scheme)
    pkce = ["pkce"] if scheme.pkce_required else []
    return [scheme.kind, scheme.flow, scheme.location, parameter, scheme.http_scheme, urls, scheme.problem, *pkce]


def _alternatives(alternatives: tuple[Alternative, ...]) -> list[Any]:
    if not alternatives:
        return []
    return sorted([sorted([name, *sorted(set(scopes))] for name, scopes in a.schemes.items()) for a in alternatives])


def _skill(skill: SkillProfile) -> list[Any]:
    security = None if skill.security is None else _alternatives(skill.security)
    disputed = [sorted(skill.disputed)] if skill.disputed else []
    return [_modes(skill.input), _modes(skill.output), security, sorted(set(skill.tags)), *disputed]


def _modes(modes: tuple[str, ...]) -> list[str]:
    """A set of modes; type and subtype have no case, parameters keep theirs (A2A facts §1.4)."""
    if len(modes) == 1:
        return [_mode(modes[0])]
    return sorted({_mode(mode) for mode in modes})


def _mode(mode: str) -> str:
    if mode in _USUAL:
        return mode
    essence, semicolon, parameters = mode.partition(";")
    return essence.strip().lower() + semicolon + parameters.strip()


_USUAL = frozenset(("text/plain", "application/json"))


def _url_safe(text: str) -> str:
    return text.rstrip("=").replace("+", "-").replace("/", "_")
