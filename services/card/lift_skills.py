"""Skills, capabilities, extensions, provider and signatures of every generation → members of the internal form (A2A §4.4)."""

from typing import Any

from cardtrail.events.model.card import AgentCapabilities, AgentCardSignature, AgentExtension, AgentProvider, AgentSkill
from cardtrail.services.card.lift_requirements import Declared, lift_requirements
from cardtrail.services.card.members import KNOWN, Json, flag, listed, require, strangers, strings, struct, text, wrong
from cardtrail.services.card.notes import Notes

_SKILL, _CAPABILITIES = KNOWN["AgentSkill"], KNOWN["AgentCapabilities"]
_EXTENSION, _PROVIDER = KNOWN["AgentExtension"], KNOWN["AgentProvider"]
_MOST_SIGNATURES = 64


def lift_skills(card: Json, declared: Declared, notes: Notes) -> tuple[AgentSkill, ...]:
    """The skills in the card's order; a bare text is the id of one.

    Raises:
        DocumentRefused: `wrong-type`.
    """
    entries = listed(card, "skills", "a list of skills", "$")
    return tuple([_skill(entry, f"$.skills[{index}]", declared, notes) for index, entry in enumerate(entries)])


def _skill(entry: Any, at: str, declared: Declared, notes: Notes) -> AgentSkill:  # noqa: ANN401 — any JSON value
    if type(entry) is str:
        notes.note("CT013", at, due="a skill", member="id")
        return AgentSkill(id=entry, at=at)
    if type(entry) is not dict:
        wrong(entry, "a skill", at)
    if not entry.keys() <= _SKILL:
        strangers(entry, "AgentSkill", at, notes)
    require(entry, "AgentSkill", at, notes)
    secured = "securityRequirements" in entry or "security" in entry
    return AgentSkill.trusted(
        {
            "id": text(entry, "id", at, notes),
            "name": text(entry, "name", at, notes),
            "description": text(entry, "description", at, notes),
            "tags": strings(entry, "tags", at, notes),
            "examples": strings(entry, "examples", at, notes),
            "input_modes": strings(entry, "inputModes", at, notes),
            "output_modes": strings(entry, "outputModes", at, notes),
            "security_requirements": (lift_requirements(entry, at, declared, notes) or None) if secured else None,
            "at": at,
        }
    )


def lift_capabilities(card: Json, notes: Notes) -> AgentCapabilities:
    """The flags (absent = None) and extensions; a list of words states no flag.

    Raises:
        DocumentRefused: `wrong-type`.
    """
    data, at = card.get("capabilities"), "$.capabilities"
    if type(data) is list:
        notes.note("CT014", at)
        data = None
    if data is None:
        data = {}
    elif type(data) is not dict:
        wrong(data, "an object of flags", at)
    if not data.keys() <= _CAPABILITIES:
        strangers(data, "AgentCapabilities", at, notes)
    extended, extended_at = _extended(card, data, notes)
    places = {member: f"{at}.{name}" for member, name in _FLAGS.items() if data.get(name) is not None}
    if extended is not None:
        places["extended_agent_card"] = extended_at
    return AgentCapabilities.trusted(
        {
            "streaming": flag(data, "streaming", at, notes),
            "push_notifications": flag(data, "pushNotifications", at, notes),
            "extended_agent_card": extended,
            "extensions": _extensions(data, f"{at}.extensions", notes) if data.get("extensions") is not None else (),
            "at": places,
        }
    )


_FLAGS = {"streaming": "streaming", "push_notifications": "pushNotifications"}
_LEGACY_EXTENDED = ("supportsAuthenticatedExtendedCard", "supportsExtendedAgentCard")


def _extended(card: Json, data: Json, notes: Notes) -> tuple[bool | None, str]:
    """The 1.0 flag, else the 0.x ones in the order of their standing; what the losers say otherwise is noted."""
    won, at, winner = flag(data, "extendedAgentCard", "$.capabilities", notes), "$.capabilities.extendedAgentCard", ""
    for name in _LEGACY_EXTENDED:
        if name not in card:
            continue
        said = flag(card, name, "$", notes)
        if won is None:
            won, at, winner = said, f"$.{name}", name
            if not notes.legacy_body and said is not None:
                notes.note("CT083", at, name=name, instead="capabilities.extendedAgentCard")
        elif said is not None and said != won:
            notes.note("CT082", f"$.{name}", name=name, found=said, won=won)
        elif not (notes.legacy_body or winner):
            notes.note("CT081", f"$.{name}", name=name)
    return won, at


def _extensions(data: Json, at: str, notes: Notes) -> tuple[AgentExtension, ...]:
    entries = listed(data, "extensions", "a list of extensions", "$.capabilities")
    return tuple([_extension(entry, f"{at}[{index}]", notes) for index, entry in enumerate(entries)])


def _extension(entry: Any, at: str, notes: Notes) -> AgentExtension:  # noqa: ANN401 — any JSON value
    if type(entry) is str:
        notes.note("CT013", at, due="an extension", member="uri")
        return AgentExtension(uri=entry, at=at)
    if type(entry) is not dict:
        wrong(entry, "an extension", at)
    if not entry.keys() <= _EXTENSION:
        strangers(entry, "AgentExtension", at, notes)
    uri = text(entry, "uri", at, notes)
    if not uri:
        notes.note("CT070", at)
    description = text(entry, "description", at, notes)
    required = flag(entry, "required", at, notes, unreadable=True)  # a client that is wrong is not let in
    return AgentExtension.trusted(
        {
            "uri": uri,
            "description": description,
            "required": required or False,
            "params": struct(entry, "params", at, notes),
            "at": at,
        }
    )


def lift_provider(card: Json, notes: Notes) -> AgentProvider | None:
    """Who serves the agent; a bare text is the organization's name.

    Raises:
        DocumentRefused: `wrong-type`.
    """
    data = card.get("provider")
    if data is None:
        return None
    if type(data) is str:
        notes.note("CT013", "$.provider", due="a provider", member="organization")
        return AgentProvider(organization=data)
    if type(data) is not dict:
        wrong(data, "a provider", "$.provider")
    if not data.keys() <= _PROVIDER:
        strangers(data, "AgentProvider", "$.provider", notes)
    require(data, "AgentProvider", "$.provider", notes)
    return AgentProvider.trusted(
        {
            "url": text(data, "url", "$.provider", notes),
            "organization": text(data, "organization", "$.provider", notes),
        }
    )


def lift_signatures(card: Json, notes: Notes) -> tuple[AgentCardSignature, ...]:
    """The signatures of JWS form, each once, at most 64; what has another form is noted and left to the document."""
    entries = card["signatures"]
    if type(entries) is not list:
        notes.note("CT085", "$.signatures", reason="not a list")
        return ()
    found: dict[tuple[str, str], AgentCardSignature] = {}
    for index, entry in enumerate(entries[:_MOST_SIGNATURES]):
        at = f"$.signatures[{index}]"
        missing = _not_jws(entry)
        if missing:
            notes.note("CT085", at, reason=missing)
            continue
        key = (entry["protected"], entry["signature"])
        if key in found:
            notes.note("CT086", at, first=found[key].at)
        else:
            header = struct(entry, "header", at, notes)
            found[key] = AgentCardSignature(protected=key[0], signature=key[1], header=header, at=at)
    return tuple(found.values())


def _not_jws(entry: Any) -> str:  # noqa: ANN401 — any JSON value
    if type(entry) is not dict:
        return "not an object"
    absent = [name for name in ("protected", "signature") if type(entry.get(name)) is not str or not entry[name]]
    return f"no text in {' and '.join(absent)}" if absent else ""
