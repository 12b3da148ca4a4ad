"""An interface that the workflow does not call is no longer offered.

The one to call is still there. What went was a way to fall back on.

Do: nothing, unless the withdrawn one was the planned way out.
"""

from collections.abc import Iterator

from cardtrail.services.verdict.interfaces import natural_key, others
from cardtrail.services.verdict.rule import Noticed, Rule
from cardtrail.services.verdict.view import View


def check(view: View) -> Iterator[Noticed]:
    """Interfaces beside the chosen one that only one of the two profiles lists."""
    if view.before is None or view.after is None:
        return
    kept = {natural_key(one) for one in view.after.interfaces}
    for key in sorted(others(view.before).keys() - kept):
        yield Noticed(f"interfaces[{key}]", f"the card no longer offers {key}", "interfaces", before=key)


RULE = Rule("interface-withdrawn", "note", check, __doc__, mirror="interface-added", rests_on="profile")
