"""A profile taken apart into named capabilities, each with one value as canonical JSON text: what a span is a span of."""

import json

from cardtrail.events.model.profile import Alternative, Identity, Profile

_text = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode


def capabilities(profile: Profile, identity: Identity) -> dict[str, str]:
    """Capability → value. Skills, schemes and extensions go by their own ids, never by a place in a list."""
    values: dict[str, object] = {
        "usable": True if profile.usable else [reason.code for reason in profile.reasons],
        "streaming": profile.streaming,
        "push": profile.push,
        "extended_card": profile.extended_card,
        "interfaces": [[each.binding, each.version, each.url] for each in profile.interfaces],
        "security": _alternatives(profile.security),
        **{name: getattr(identity, name) for name in ("name", "version", "provider", "signature", "signer")},
    }
    if profile.interface is not None:
        chosen = profile.interface
        values["interface"] = {"binding": chosen.binding, "version": chosen.version}
        values |= {"interface.url": chosen.url, "interface.tenant": chosen.tenant}
    for extension in profile.extensions:
        values[f"extensions.{extension.uri}"] = {"required": extension.required, "params": extension.params}
    for name, scheme in profile.schemes.items():
        values[f"schemes.{name}"] = scheme.model_dump(mode="json", exclude_defaults=True) | {"kind": scheme.kind}
    for skill, offer in profile.skills.items():
        values |= {f"skills.{skill}.input": offer.input, f"skills.{skill}.output": offer.output}
        own = None if offer.security is None else _alternatives(offer.security)
        values |= {f"skills.{skill}.security": own, f"skills.{skill}.scopes": _scopes(profile, offer.security)}
    return {name: _text(value) for name, value in values.items()}


def _alternatives(security: tuple[Alternative, ...]) -> list[dict[str, tuple[str, ...]]]:
    return [dict(alternative.schemes) for alternative in security]


def _scopes(profile: Profile, own: tuple[Alternative, ...] | None) -> list[str]:
    """Every scope that some alternative of the card or of the skill asks for."""
    both = (*profile.security, *(own or ()))
    return sorted({scope for alternative in both for scopes in alternative.schemes.values() for scope in scopes})
