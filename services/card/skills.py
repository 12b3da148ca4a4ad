"""Skills in profile form: their own modes replace the card's defaults, never add to them (A2A §4.4.5)."""

from collections.abc import Iterable
from itertools import chain
from typing import Any

from cardtrail.events.model.card import AgentCard, AgentSkill
from cardtrail.events.model.profile import Alternative, SkillProfile
from cardtrail.services.card.security import compile_requirements


def compile_skills(card: AgentCard, provenance: dict[str, str]) -> dict[str, SkillProfile]:
    """The skills by id, in the card's order; a skill without id offers nothing."""
    found: dict[str, list[SkillProfile]] = {}
    for skill in card.skills:
        name = skill.id
        if not name:
            continue
        if name in found:
            found[name].append(_compiled(skill, card))
            continue
        found[name] = [_compiled(skill, card)]
        at, key = skill.at, f"skills.{name}"
        provenance[f"{key}.input"] = f"{at}.inputModes" if skill.input_modes else _DEFAULT_INPUT
        provenance[f"{key}.output"] = f"{at}.outputModes" if skill.output_modes else _DEFAULT_OUTPUT
        provenance[f"{key}.tags"] = f"{at}.tags"
        if skill.security_requirements:
            provenance[f"{key}.security"] = skill.security_requirements[0].at.rpartition("[")[0]
    return {name: alike[0] if len(alike) == 1 else _together(alike) for name, alike in found.items()}


def _compiled(skill: AgentSkill, card: AgentCard) -> SkillProfile:
    stated = skill.security_requirements
    return SkillProfile.trusted(
        {
            "input": skill.input_modes or card.default_input_modes,
            "output": skill.output_modes or card.default_output_modes,
            "security": None if stated is None else compile_requirements(stated),
            "tags": skill.tags,
            "disputed": (),
        }
    )


def _together(alike: list[SkillProfile]) -> SkillProfile:
    """Skills of one id: all that any of them offers, whichever stands first, and on what they disagree."""
    disputed: set[str] = set()
    sides: dict[str, list[set[Any]]] = {
        "input": [set(one.input) for one in alike],
        "output": [set(one.output) for one in alike],
    }
    for side, every in sides.items():
        disputed.update(f"{side} {essence}" for essence in map(_essence, set.union(*every) - set.intersection(*every)))
    if len({frozenset(_ways(one.security)) for one in alike}) > 1:
        disputed.add("security")
    ways = {tuple(sorted(way.schemes.items())): way for one in alike for way in one.security or ()}
    return SkillProfile(
        input=_each_once(one.input for one in alike),
        output=_each_once(one.output for one in alike),
        security=tuple(ways.values()) if any(one.security is not None for one in alike) else None,
        tags=_each_once(one.tags for one in alike),
        disputed=tuple(sorted(disputed)),
    )


def _each_once(lists: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(chain.from_iterable(lists)))


def _essence(mode: str) -> str:
    return mode.partition(";")[0].strip().lower()


def _ways(alternatives: tuple[Alternative, ...] | None) -> set[Any]:
    return {
        tuple(sorted((name, *sorted(scopes)) for name, scopes in way.schemes.items())) for way in alternatives or ()
    }


_DEFAULT_INPUT, _DEFAULT_OUTPUT = "$.defaultInputModes", "$.defaultOutputModes"
