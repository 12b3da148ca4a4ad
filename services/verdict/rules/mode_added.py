"""A skill that the workflow needs takes or gives one more media type.

What the workflow sends and reads is still there.

Do: nothing.
"""

from collections.abc import Iterator

from cardtrail.services.verdict.modes import Offer, added
from cardtrail.services.verdict.rule import Noticed, Rule
from cardtrail.services.verdict.view import View


def check(view: View) -> Iterator[Noticed]:
    """Per needed skill and direction, modes that only the new profile has and that are no respelling of old ones."""
    for skill in view.skills:
        if skill.after is None or skill.before is None:
            continue
        for side, word in (("input", "inputModes"), ("output", "outputModes")):
            old, now = getattr(skill.before, side), getattr(skill.after, side)
            known = Offer(old)
            new = [mode for mode in added(known, now) if known.respelling(mode) is None]
            if new:
                subject, member = f"skills[{skill.id}].{word}", f"skills.{skill.id}.{side}"
                yield Noticed(subject, f"skill {skill.id} also lists {', '.join(new)}", member, after=new)


RULE = Rule("mode-added", "note", check, __doc__, mirror="input-mode-removed", rests_on="profile")
