"""The endpoint moved to another origin of the same site.

Scheme, port or sub-domain differ while the registrable domain is the same. It is probably the same owner, but
another deployment: sessions, allowlists and credentials bound to the old origin may not work there.

Do: let the probes run, and check credentials and firewalls that name the old origin.
"""

from collections.abc import Iterator

from cardtrail.services.verdict.endpoints import distance, moved
from cardtrail.services.verdict.rule import Noticed, Rule
from cardtrail.services.verdict.view import View


def check(view: View) -> Iterator[Noticed]:
    """The chosen endpoint's URL when it went that far."""
    move = moved(view)
    if move is not None and distance(*move) == "origin":
        old, new = move
        message = f"the endpoint moved from {old.url} to {new.url}"
        yield Noticed(
            "interface.url", message, "interface.url", needs=view.lock.interface.url, before=old.url, after=new.url
        )


RULE = Rule(
    "interface-origin-changed",
    "review",
    check,
    __doc__,
    mirror="same rule in both directions: a move has no opposite",
    rests_on="url",
)
