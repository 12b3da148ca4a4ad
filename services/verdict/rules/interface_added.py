"""Another interface is offered beside the one to call.

Nothing that the workflow uses is touched. A second entry often announces a migration: the old version stays for a
while.

Do: nothing now; look at it when the provider announces the end of the old one.
"""

from collections.abc import Iterator

from cardtrail.services.verdict.interfaces import natural_key, others
from cardtrail.services.verdict.rule import Noticed, Rule
from cardtrail.services.verdict.view import View


def check(view: View) -> Iterator[Noticed]:
    """Interfaces beside the chosen one that only one of the two profiles lists."""
    if view.before is None or view.after is None:
        return
    kept = {natural_key(one) for one in view.before.interfaces}
    for key in sorted(others(view.after).keys() - kept):
        yield Noticed(f"interfaces[{key}]", f"the card offers {key}", "interfaces", after=key)


RULE = Rule("interface-added", "note", check, __doc__, mirror="interface-withdrawn", rests_on="profile")
