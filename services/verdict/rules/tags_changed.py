"""A skill that the workflow needs carries other tags.

Tags help to find a skill; they decide no call.

Do: nothing, unless candidates are chosen by tag.
"""

from collections.abc import Iterator

from cardtrail.services.verdict.rule import Noticed, Rule
from cardtrail.services.verdict.view import View


def check(view: View) -> Iterator[Noticed]:
    """Per needed skill, its tags as a set."""
    for skill in view.skills:
        if skill.before is not None and skill.after is not None:
            old, now = sorted(set(skill.before.tags)), sorted(set(skill.after.tags))
            if old != now:
                subject, member = f"skills[{skill.id}].tags", f"skills.{skill.id}.tags"
                yield Noticed(subject, f"skill {skill.id} has other tags", member, before=old, after=now)


RULE = Rule(
    "tags-changed",
    "note",
    check,
    __doc__,
    mirror="same rule for added and removed: neither decides a call",
    rests_on="profile",
)
