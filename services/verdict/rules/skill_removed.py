"""A skill that the workflow needs is no longer offered, or is hidden from this principal.

No request carries a skill id, so the agent may still answer, but nothing it says about its modes, security or
behaviour holds for the work the workflow wants done.

Do: use another agent, or map the id where the skill was only renamed (the hint names a likely one), then pin again.
"""

from collections.abc import Iterator

from cardtrail.events.model.profile import SkillProfile
from cardtrail.services.verdict.renames import Renames, twins
from cardtrail.services.verdict.rule import Noticed, Rule
from cardtrail.services.verdict.view import View


def check(view: View) -> Iterator[Noticed]:
    """Each needed skill that the usable profile lacks."""
    known = set(view.before.skills) if view.before else set(view.lock.requires.skills)
    gained = {id_: skill for id_, skill in view.after.skills.items() if id_ not in known} if view.after else {}
    renames = Renames(gained)
    alike = twins(_lost(view), gained)
    for skill in view.skills:
        if skill.after is None:
            twin = renames.likely(skill.id) or alike.get(skill.id)
            hint = f"probably renamed to {twin}" if twin else ""
            message = f"skill {skill.id} is not offered"
            yield Noticed(f"skills[{skill.id}]", message, needs=skill.id, before=skill.id, after=None, hint=hint)


def _lost(view: View) -> dict[str, SkillProfile]:
    if view.before is None or view.after is None:
        return {}
    return {id_: skill for id_, skill in view.before.skills.items() if id_ not in view.after.skills}


RULE = Rule("skill-removed", "breaking", check, __doc__, mirror="skill-added")
