"""The endpoint moved to another site.

The registrable domain differs, by the public suffix list (two names under github.io or vercel.app are two sites).
Somebody else may now receive the calls and the credentials of the workflow.

Do: have the provider confirm the move over another channel before calls and tokens go there; then pin again.
"""

from collections.abc import Iterator

from cardtrail.services.verdict.endpoints import distance, moved
from cardtrail.services.verdict.rule import Noticed, Rule
from cardtrail.services.verdict.view import View


def check(view: View) -> Iterator[Noticed]:
    """The chosen endpoint's URL when it went that far."""
    move = moved(view)
    if move is not None and distance(*move) == "site":
        old, new = move
        message = f"the endpoint moved from {old.url} to {new.url}"
        yield Noticed(
            "interface.url", message, "interface.url", needs=view.lock.interface.url, before=old.url, after=new.url
        )


RULE = Rule(
    "interface-host-changed",
    "review",
    check,
    __doc__,
    mirror="same rule in both directions: a move has no opposite",
    rests_on="url",
)
