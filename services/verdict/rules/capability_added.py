"""The card declares an optional operation that it did not declare when the lock was pinned.

Streaming, push notifications or an extended card can be had now; the workflow did without.

Do: nothing; a workflow that wants the operation says so in its lock.
"""

from collections.abc import Iterator

from cardtrail.services.verdict.capabilities import changed
from cardtrail.services.verdict.rule import Noticed, Rule
from cardtrail.services.verdict.view import View


def check(view: View) -> Iterator[Noticed]:
    """Flags that were false and are true."""
    yield from changed(view, now=True)


RULE = Rule("capability-added", "note", check, __doc__, mirror="unneeded-capability-withdrawn", rests_on="profile")
