"""The agent no longer gives any of the media types that the workflow can read from a skill.

Whatever comes back, the workflow cannot use it: calls succeed and their results are lost.

Do: teach the workflow one of the new types, or use another agent; then pin again.
"""

from collections.abc import Iterator

from cardtrail.services.verdict.modes import Offer, listed, lost
from cardtrail.services.verdict.rule import Noticed, Rule
from cardtrail.services.verdict.view import View


def check(view: View) -> Iterator[Noticed]:
    """Per needed skill, no wanted output left, not even spelt otherwise or as a part of a wanted range."""
    for skill in view.skills:
        if skill.after is None or not skill.need.output:
            continue
        now, wanted = Offer(skill.after.output), skill.need.output
        if len(lost(wanted, now)) == len(wanted) and not any(map(now.lies_in, wanted)):
            before = listed(skill.before.output) if skill.before else None
            message = f"skill {skill.id} no longer gives any of {', '.join(wanted)}"
            subject, member = f"skills[{skill.id}].outputModes", f"skills.{skill.id}.output"
            yield Noticed(subject, message, member, needs=listed(wanted), before=before, after=listed(now))


RULE = Rule("output-modes-disjoint", "breaking", check, __doc__, mirror="mode-added")
