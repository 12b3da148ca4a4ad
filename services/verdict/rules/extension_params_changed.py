"""An extension's parameters changed under the same URI.

Parameters can change what the extension does: prices, limits, key material. The URI stays, so no client notices by
itself.

Do: compare the parameters; pin again when the workflow can live with the new ones.
"""

from collections.abc import Iterator
from typing import Any

from cardtrail.services.card.json_digest import equal
from cardtrail.services.verdict.rule import Noticed, Rule
from cardtrail.services.verdict.view import View


def check(view: View) -> Iterator[Noticed]:
    """Per extension that both profiles have, its params as JSON values; none counts as empty."""
    if view.before is None or view.after is None:
        return
    old = {extension.uri: extension.params or {} for extension in view.before.extensions}
    for extension in sorted(view.after.extensions, key=lambda one: one.uri):
        now = extension.params or {}
        before = old.get(extension.uri, now)
        names = sorted(name for name in before.keys() | now.keys() if not _as_before(name, before, now))
        if names:
            message = f"params of {extension.uri} changed: {', '.join(names)}"
            subject, member = f"capabilities.extensions[{extension.uri}].params", f"extensions.{extension.uri}"
            yield Noticed(subject, message, member, before=before, after=now)


def _as_before(name: str, before: dict[str, Any], now: dict[str, Any]) -> bool:
    """A parameter that is null is there, and `true` is not the number 1."""
    return name in before and name in now and equal(before[name], now[name])


RULE = Rule("extension-params-changed", "review", check, __doc__, "same rule in both directions", "profile")
