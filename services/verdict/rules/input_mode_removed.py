"""The agent no longer takes a media type that the workflow sends for a skill.

A skill's own modes replace the card's defaults (A2A §4.4.5), so what it does not list it does not take. Every call
with such a part would be refused, or its part ignored.

Do: send another type that the skill still takes, or use another agent; then pin again with what is really sent.
"""

from collections.abc import Iterator

from cardtrail.services.verdict.modes import Offer, listed, lost
from cardtrail.services.verdict.rule import Noticed, Rule
from cardtrail.services.verdict.view import View


def check(view: View) -> Iterator[Noticed]:
    """Per needed skill, the wanted inputs that nothing offered covers, not even spelt otherwise."""
    for skill in view.skills:
        if skill.after is None:
            continue
        now = Offer(skill.after.input)
        gone = lost(skill.need.input, now)
        if gone:
            before = listed(skill.before.input) if skill.before else None
            message = f"skill {skill.id} no longer takes {', '.join(gone)}"
            subject, member = f"skills[{skill.id}].inputModes", f"skills.{skill.id}.input"
            yield Noticed(subject, message, member, needs=listed(skill.need.input), before=before, after=listed(now))


RULE = Rule("input-mode-removed", "breaking", check, __doc__, mirror="mode-added")
