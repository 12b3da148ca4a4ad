"""The agent no longer gives some of the media types that the workflow can read from a skill; at least one is left.

One of the wanted types is enough to go on, but what came as the lost type until now will come otherwise.

Do: let the probes run; drop the lost type from the lock when the workflow does well without it.
"""

from collections.abc import Iterator

from cardtrail.services.verdict.modes import Offer, listed, lost
from cardtrail.services.verdict.rule import Noticed, Rule
from cardtrail.services.verdict.view import View


def check(view: View) -> Iterator[Noticed]:
    """Per needed skill, wanted outputs that were given and are not any more, while another or a part of a range is."""
    for skill in view.skills:
        if skill.after is None:
            continue
        now, wanted = Offer(skill.after.output), skill.need.output
        old = Offer(skill.before.output) if skill.before else None
        absent = lost(wanted, now)
        parts = [mode for mode in absent if now.lies_in(mode)]
        gone = [mode for mode in absent if (old.covers(mode) if old else mode not in parts)]
        if gone and (parts or len(absent) < len(wanted)):
            before = listed(skill.before.output) if skill.before else None
            named = (f"all of {mode}" if mode in parts else mode for mode in gone)
            message = f"skill {skill.id} no longer gives {', '.join(named)}"
            subject, member = f"skills[{skill.id}].outputModes", f"skills.{skill.id}.output"
            yield Noticed(subject, message, member, needs=listed(wanted), before=before, after=listed(now))


RULE = Rule("output-modes-narrowed", "review", check, __doc__, mirror="mode-added")
