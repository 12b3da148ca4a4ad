"""An extension that the workflow needs is no longer declared.

An agent ignores what it does not know, so the workflow's extension data would be dropped without an error. A new
version of an extension has a new URI: the old one is withdrawn, not upgraded.

Do: use the successor if one is declared and the client implements it, or another agent; then pin again.
"""

from collections.abc import Iterator

from cardtrail.services.verdict.rule import Noticed, Rule
from cardtrail.services.verdict.view import View


def check(view: View) -> Iterator[Noticed]:
    """Each needed extension URI that the card lacks."""
    if view.after is None:
        return
    declared = {extension.uri for extension in view.after.extensions}
    for uri in sorted(set(view.lock.requires.extensions) - declared):
        message = f"extension {uri} is not declared"
        yield Noticed(f"capabilities.extensions[{uri}]", message, "extensions", needs=uri, before=uri)


RULE = Rule("extension-withdrawn", "breaking", check, __doc__, mirror="optional-extension-added")
