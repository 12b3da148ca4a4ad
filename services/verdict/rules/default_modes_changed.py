"""The card's default media types changed without effect on the needed skills.

A skill's own modes replace the defaults (A2A §4.4.5), so the needed skills take and give what they did.

Do: nothing.
"""

from collections.abc import Iterator

from cardtrail.services.verdict.modes import listed
from cardtrail.services.verdict.rule import Noticed, Rule
from cardtrail.services.verdict.view import View


def check(view: View) -> Iterator[Noticed]:
    """The defaults, while no needed skill's modes differ."""
    if view.before is None or view.after is None:
        return
    for side in ("input", "output"):
        member, subject = f"default_{side}", f"default{side.title()}Modes"
        old, now = listed(getattr(view.before, member)), listed(getattr(view.after, member))
        touched = any(
            skill.before and skill.after and listed(getattr(skill.before, side)) != listed(getattr(skill.after, side))
            for skill in view.skills
        )
        if old != now and not touched:
            yield Noticed(
                subject, "the default changed; the needed skills have their own", member, before=old, after=now
            )


RULE = Rule(
    "default-modes-changed",
    "note",
    check,
    __doc__,
    "same rule in both directions: no effect has no opposite",
    "profile",
)
