"""The agent offers a skill that it did not offer when the lock was pinned.

The workflow does not use it, so nothing changes for it.

Do: nothing.
"""

from collections.abc import Iterator

from cardtrail.services.verdict.rule import Noticed, Rule
from cardtrail.services.verdict.view import View


def check(view: View) -> Iterator[Noticed]:
    """Each skill that only the new profile has."""
    if view.after is not None and view.before is not None:
        for id_ in sorted(view.after.skills.keys() - view.before.skills.keys()):
            yield Noticed(f"skills[{id_}]", f"skill {id_} is new", f"skills.{id_}", after=id_)


RULE = Rule("skill-added", "note", check, __doc__, mirror="skill-removed", rests_on="profile")
