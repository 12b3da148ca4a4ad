"""A skill that the workflow needs stands in the card several times, and the declarations disagree.

A skill is known by its id alone. Where two of one id differ in modes or security, the card does not say which of them
answers a call: what one offers may be refused by the other.

Do: let the probes test the modes that are used; ask the provider to give each skill an id of its own.
"""

from collections.abc import Iterator

from cardtrail.events.model.lockfile import SkillNeed
from cardtrail.services.verdict.modes import coverers
from cardtrail.services.verdict.rule import Noticed, Rule
from cardtrail.services.verdict.view import NeededSkill, View


def check(view: View) -> Iterator[Noticed]:
    """Per needed skill, what is in dispute, is needed, and was in no dispute when the lock was pinned."""
    for skill in view.skills:
        disputed = _disputed(skill)
        if disputed:
            message = f"several skills have the id {skill.id} and do not agree on {', '.join(disputed)}"
            before = None if skill.before is None else list(skill.before.disputed)
            yield Noticed(f"skills[{skill.id}]", message, f"skills.{skill.id}.tags", before=before, after=disputed)


def _disputed(skill: NeededSkill) -> list[str]:
    if skill.after is None:
        return []
    known = set(skill.before.disputed) if skill.before else set()
    return sorted(set(skill.after.disputed) & _needed(skill.need) - known)


def _needed(need: SkillNeed) -> set[str]:
    """What of a dispute would touch the workflow."""
    sides = (("input", need.input), ("output", need.output))
    return {"security", *(f"{side} {one}" for side, modes in sides for mode in modes for one in coverers(mode))}


RULE = Rule(
    "skill-ambiguous",
    "review",
    check,
    __doc__,
    mirror="an id that stands once again is the recovery, which the decision tells",
)
