"""The tenant that calls must carry is another one.

A client sends the declared tenant with every request and leaves it out where none is declared (A2A §8.3.2). Another
tenant routes the same calls to other data, other limits, perhaps another customer.

Do: ask the provider what the tenant stands for; pin again when it is yours.
"""

from collections.abc import Iterator

from cardtrail.services.verdict.rule import Noticed, Rule
from cardtrail.services.verdict.view import View


def check(view: View) -> Iterator[Noticed]:
    """The tenant of the chosen interface against the pinned one; "" stands for none."""
    if view.after is None or view.after.interface is None or view.pinned_tenant is None:
        return
    before, after = view.pinned_tenant, view.after.interface.tenant or ""
    if before != after:
        message = f"tenant {before or 'none'} became {after or 'none'}"
        yield Noticed(
            "interface.tenant",
            message,
            "interface.tenant",
            needs=view.lock.interface.tenant,
            before=before,
            after=after,
        )


RULE = Rule(
    "tenant-changed",
    "review",
    check,
    __doc__,
    "same rule for added, removed and replaced: each re-routes calls",
    "tenant",
)
