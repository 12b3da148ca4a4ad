"""An extension that the lock does not name is no longer declared.

A client that activates every extension both sides know may have used it: costs, receipts or identities it carried
are then missing.

Do: name it in the lock if the workflow relies on it; otherwise acknowledge.
"""

from collections.abc import Iterator

from cardtrail.services.verdict.rule import Noticed, Rule
from cardtrail.services.verdict.view import View


def check(view: View) -> Iterator[Noticed]:
    """Each extension of the old profile, beyond the needed ones, that the new one lacks."""
    if view.before is None or view.after is None:
        return
    declared = {extension.uri for extension in view.after.extensions}
    for uri in sorted({one.uri for one in view.before.extensions} - declared - set(view.lock.requires.extensions)):
        message = f"extension {uri} is no longer declared"
        yield Noticed(f"capabilities.extensions[{uri}]", message, "extensions", before=uri)


RULE = Rule(
    "optional-extension-withdrawn", "review", check, __doc__, mirror="optional-extension-added", rests_on="profile"
)
