"""A skill that the workflow needs is no longer offered, or is hidden from this principal.

No request carries a skill id, so the agent may still answer, but nothing it says about its modes, security or
behaviour holds for the work the workflow wants done.

Do: use another agent, or map the id where the skill was only renamed (the hint names a likely one), then pin again.
"""

from collections.abc import Iterator

from cardtrail.services.verdict.renames import Renames
from cardtrail.services.verdict.rule import Noticed, Rule
from cardtrail.services.verdict.view import View


def check(view: View) -> Iterator[Noticed]:
    """Each needed skill that the usable profile lacks."""
    known = set(view.before.skills) if view.before else set(view.lock.requires.skills)
    renames = Renames(set(view.after.skills) - known if view.after else ())
    for skill in view.skills:
        if skill.after is None:
            twin = renames.likely(skill.id)
            hint = f"probably renamed to {twin}" if twin else ""
            message = f"skill {skill.id} is not offered"
            yield Noticed(f"skills[{skill.id}]", message, needs=skill.id, before=skill.id, after=None, hint=hint)


RULE = Rule("skill-removed", "breaking", check, __doc__, mirror="skill-added")
