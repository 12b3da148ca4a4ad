"""The endpoint has another path on the same origin.

The profile carries the new URL, and whoever calls by the profile calls the right place.

Do: nothing, unless a caller has the old URL written down.
"""

from collections.abc import Iterator

from cardtrail.services.verdict.endpoints import distance, moved
from cardtrail.services.verdict.rule import Noticed, Rule
from cardtrail.services.verdict.view import View


def check(view: View) -> Iterator[Noticed]:
    """The chosen endpoint's URL when it went that far."""
    move = moved(view)
    if move is not None and distance(*move) == "path":
        old, new = move
        message = f"the endpoint moved from {old.url} to {new.url}"
        yield Noticed(
            "interface.url", message, "interface.url", needs=view.lock.interface.url, before=old.url, after=new.url
        )


RULE = Rule(
    "interface-path-changed",
    "note",
    check,
    __doc__,
    mirror="same rule in both directions: a move has no opposite",
    rests_on="url",
)
