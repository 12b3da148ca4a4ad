"""Something that the workflow does not need is no longer offered: an optional operation, a skill, a media type.

Nothing that the lock names is touched.

Do: nothing. A workflow that does use it has a lock that says too little: pin again.
"""

from collections.abc import Iterator

from cardtrail.services.verdict.capabilities import FLAGS, changed
from cardtrail.services.verdict.modes import Offer, lost
from cardtrail.services.verdict.rule import Noticed, Rule
from cardtrail.services.verdict.view import View


def check(view: View) -> Iterator[Noticed]:
    """Flags, skills and modes of needed skills that went and that the lock does not name."""
    if view.before is None or view.after is None:
        return
    needed = {subject for flag, subject in FLAGS.items() if getattr(view.lock.requires, flag)}
    yield from (one for one in changed(view, now=False) if one.subject not in needed)
    for id_ in sorted(view.before.skills.keys() - view.after.skills.keys() - view.lock.requires.skills.keys()):
        yield Noticed(f"skills[{id_}]", f"skill {id_}, which is not needed, is gone", before=id_)
    yield from _modes(view)


def _modes(view: View) -> Iterator[Noticed]:
    for skill in view.skills:
        if skill.before is None or skill.after is None:
            continue
        for side, word in (("input", "inputModes"), ("output", "outputModes")):
            now, needed = Offer(getattr(skill.after, side)), Offer(getattr(skill.need, side))
            gone = sorted(one for one in lost(getattr(skill.before, side), now) if not needed.covers(one))
            if gone:
                message = f"skill {skill.id} no longer lists {', '.join(gone)}, which is not needed"
                yield Noticed(f"skills[{skill.id}].{word}", message, f"skills.{skill.id}.{side}", before=gone)


RULE = Rule("unneeded-capability-withdrawn", "note", check, __doc__, mirror="capability-added", rests_on="profile")
