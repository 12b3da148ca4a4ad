"""The card declares an extension that it did not declare when the lock was pinned.

It is optional, or required and known to the client; extensions are inactive unless a request asks for them (A2A
§4.6).

Do: nothing.
"""

from collections.abc import Iterator

from cardtrail.services.verdict.rule import Noticed, Rule
from cardtrail.services.verdict.view import View


def check(view: View) -> Iterator[Noticed]:
    """Each extension that only the new, still usable profile has."""
    if view.before is None or view.after is None:
        return
    known = {extension.uri for extension in view.before.extensions}
    for uri in sorted({extension.uri for extension in view.after.extensions} - known):
        yield Noticed(f"capabilities.extensions[{uri}]", f"extension {uri} is new", f"extensions.{uri}", after=uri)


RULE = Rule(
    "optional-extension-added", "note", check, __doc__, mirror="optional-extension-withdrawn", rests_on="profile"
)
