"""Only lower major protocol versions than the pinned one are left.

An older major version of the protocol has other methods and other message shapes. A workflow that was written and
tested for the pinned one is never moved down silently (A2A §3.6.3).

Do: ask the provider for the pinned version, or test the workflow with the older one and pin again.
"""

from collections.abc import Iterator

from cardtrail.services.verdict.interfaces import only_lower_left
from cardtrail.services.verdict.rule import Noticed, Rule
from cardtrail.services.verdict.view import View


def check(view: View) -> Iterator[Noticed]:
    """All usable interfaces are of a lower major version."""
    left = only_lower_left(view)
    if left:
        pinned = view.lock.interface.version
        message = f"protocol {pinned} is pinned; only {', '.join(left)} is offered"
        yield Noticed("interface.version", message, "interface", needs=pinned, before=pinned, after=left)


RULE = Rule("protocol-downgraded", "breaking", check, __doc__, mirror="interface-changed")
