"""What differs between two cards, member by member under natural keys, and what differs but does not count. No verdict here."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple

from cardtrail.events.model.card import AgentCard, AgentSkill
from cardtrail.services.card.endpoint import normal_url
from cardtrail.services.card.json_digest import equal
from cardtrail.services.card.read import CardReading
from cardtrail.services.verdict.versions import protocol

_SKILL_SETS = {"tags": "tags", "input_modes": "inputModes", "output_modes": "outputModes"}


class Difference(NamedTuple):
    """One member that is gone (`-`), new (`+`) or changed (`~`); values as JSON, None where there is none."""

    mark: Literal["-", "~", "+"]
    subject: str
    before: Any = None
    after: Any = None


class Structure(NamedTuple):
    """The differences in card order, and in words what was seen and not counted (`key order`, `3 texts`)."""

    differences: tuple[Difference, ...]
    not_counted: tuple[str, ...]


def compare(old: CardReading, new: CardReading) -> Structure:
    """Both cards side by side; empty where one of them cannot be read."""
    if old.card is None or new.card is None:
        return Structure((), ())
    found = (
        *_values("interfaces", _interfaces(old.card), _interfaces(new.card)),
        *_values("", _members(old.card), _members(new.card)),
        *_parts("capabilities.extensions", _extensions(old.card), _extensions(new.card)),
        *_parts("securitySchemes", _schemes(old.card), _schemes(new.card)),
        *_skills(old.card, new.card),
    )
    return Structure(tuple(found), tuple(_silent(old, new)))


def _values(family: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Difference]:
    for key in sorted(old.keys() | new.keys()):
        before, after = old.get(key), new.get(key)
        if not equal(before, after):
            subject = f"{family}[{key}]" if family else key
            yield Difference("+" if before is None else "-" if after is None else "~", subject, before, after)


def _parts(family: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Difference]:
    """As `_values`, of objects: what both sides have is told by its members."""
    for one in _values(family, old, new):
        if one.mark == "~":
            for part in _values("", one.before, one.after):
                yield part._replace(subject=f"{one.subject}.{part.subject}")
        else:
            yield one


def _interfaces(card: AgentCard) -> dict[str, Any]:
    """By binding, version, URL and tenant; the value is the place in the agent's order of preference."""
    keys = (
        " ".join(filter(None, (one.protocol_binding, protocol(one.protocol_version), normal_url(one.url), one.tenant)))
        for one in card.supported_interfaces
    )
    return {key: position for position, key in enumerate(dict.fromkeys(keys), 1)}


def _members(card: AgentCard) -> dict[str, Any]:
    return {
        "version": card.version or None,
        "provider": card.provider.model_dump() if card.provider else None,
        "capabilities.streaming": card.capabilities.streaming or None,
        "capabilities.pushNotifications": card.capabilities.push_notifications or None,
        "capabilities.extendedAgentCard": card.capabilities.extended_agent_card or None,
        "securityRequirements": _requirements(card.security_requirements) or None,
        "defaultInputModes": sorted(set(card.default_input_modes)) or None,
        "defaultOutputModes": sorted(set(card.default_output_modes)) or None,
        "signatures": len(card.signatures) or None,
    }


def _extensions(card: AgentCard) -> dict[str, Any]:
    return {one.uri: {"required": one.required, "params": one.params} for one in card.capabilities.extensions}


def _schemes(card: AgentCard) -> dict[str, Any]:
    plain = {
        name: scheme.model_dump(mode="json", exclude={"at", "name"}, exclude_defaults=True)
        for name, scheme in card.security_schemes.items()
    }
    return {name: {**scheme, "scopes": sorted(scheme.get("scopes", []))} for name, scheme in plain.items()}


def _skills(old: AgentCard, new: AgentCard) -> Iterator[Difference]:
    before, after = ({skill.id: skill for skill in card.skills} for card in (old, new))
    for id_ in sorted(before.keys() | after.keys()):
        if id_ not in after:
            yield Difference("-", f"skills[{id_}]", id_)
        elif id_ not in before:
            yield Difference("+", f"skills[{id_}]", None, id_)
        else:
            for one in _values("", _skill(before[id_]), _skill(after[id_])):
                yield one._replace(subject=f"skills[{id_}].{one.subject}")


def _skill(skill: AgentSkill) -> dict[str, Any]:
    sets = {name: sorted(set(getattr(skill, member))) or None for member, name in _SKILL_SETS.items()}
    return {**sets, "securityRequirements": _requirements(skill.security_requirements or ()) or None}


def _requirements(requirements: tuple[Any, ...]) -> list[dict[str, list[str]]]:
    plain = ({name: sorted(set(scopes)) for name, scopes in sorted(one.schemes.items())} for one in requirements)
    return sorted(plain, key=str)


def _silent(old: CardReading, new: CardReading) -> Iterator[str]:
    if old.card is None or new.card is None or old.document is None or new.document is None:
        return
    if _order_moved(old.document.value, new.document.value):
        yield "key order"
    elif old.document.value == new.document.value and old.document.text != new.document.text:
        yield "white space"
    old_texts, new_texts = _texts(old.card), _texts(new.card)
    both = _owners(old.card) & _owners(new.card)  # a new skill's texts are part of what is new
    texts = (old_texts - new_texts) | (new_texts - old_texts)
    changed = len({(owner, name) for owner, name, _ in texts if owner in both})
    if changed:
        yield f"{changed} text{'s' if changed > 1 else ''}"
    signed = tuple({(one.protected, one.signature) for one in card.signatures} for card in (old.card, new.card))
    if all(signed) and signed[0] != signed[1]:
        yield "signatures made again"


def _owners(card: AgentCard) -> set[str]:
    skills, extensions = (skill.id for skill in card.skills), (one.uri for one in card.capabilities.extensions)
    return {"", *(f"skills[{id_}]" for id_ in skills), *(f"extensions[{uri}]" for uri in extensions)}


def _texts(card: AgentCard) -> Counter[tuple[str, str, str]]:
    """Every text under its owner and name by natural key; the card itself is ""."""
    own = (("", "name", card.name), ("", "description", card.description))
    links = (("", "documentationUrl", card.documentation_url or ""), ("", "iconUrl", card.icon_url or ""))
    skills = (
        (f"skills[{skill.id}]", name, text)
        for skill in card.skills
        for name, text in (
            ("name", skill.name),
            ("description", skill.description),
            ("examples", "\n".join(skill.examples)),
        )
    )
    extensions = ((f"extensions[{one.uri}]", "description", one.description) for one in card.capabilities.extensions)
    return Counter(item for item in (*own, *links, *skills, *extensions) if item[2])


def _order_moved(old: Any, new: Any) -> bool:  # noqa: ANN401 — JSON values
    """Whether members that both have stand in another order somewhere."""
    if isinstance(old, dict) and isinstance(new, dict):
        shared = [name for name in old if name in new]
        moved = shared != [name for name in new if name in old]
        return moved or any(_order_moved(old[name], new[name]) for name in shared)
    if isinstance(old, list) and isinstance(new, list):
        return any(_order_moved(*pair) for pair in zip(old, new, strict=False))
    return False
