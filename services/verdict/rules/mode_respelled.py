"""A media type that the workflow needs is now spelt otherwise, as a bare word or as the full type.

`text` and `text/plain`, or `json` and `application/json`, probably mean the same, but A2A compares names: an agent
that checks the spelling refuses the old one.

Do: let the probes run with the new spelling, then pin again.
"""

from collections.abc import Iterator

from cardtrail.services.verdict.modes import Offer, listed, missing
from cardtrail.services.verdict.rule import Noticed, Rule
from cardtrail.services.verdict.view import View


def check(view: View) -> Iterator[Noticed]:
    """Per needed skill and direction, wanted modes that are left only in another spelling, unless they always were."""
    for skill in view.skills:
        if skill.after is None:
            continue
        for side, word in (("input", "inputModes"), ("output", "outputModes")):
            now, old = Offer(getattr(skill.after, side)), Offer(getattr(skill.before, side)) if skill.before else None
            gone = [mode for mode in missing(getattr(skill.need, side), now) if old is None or old.covers(mode)]
            pairs = {mode: new for mode in gone if (new := now.respelling(mode)) is not None}
            if pairs:
                message = f"skill {skill.id}: " + ", ".join(f"{mode} is now {new}" for mode, new in pairs.items())
                subject, member = f"skills[{skill.id}].{word}", f"skills.{skill.id}.{side}"
                before, after = listed(pairs), listed(pairs.values())
                yield Noticed(subject, message, member, needs=before, before=before, after=after)


RULE = Rule(
    "mode-respelled", "review", check, __doc__, mirror="same rule in both directions: a spelling has no opposite"
)
