"""The card names another provider.

It is the card's own word, proven by nothing; where a change of owner matters, the host, the signer and the
credentials change too.

Do: nothing, unless contracts name the provider.
"""

from collections.abc import Iterator

from cardtrail.services.verdict.rule import Noticed, Rule
from cardtrail.services.verdict.view import View


def check(view: View) -> Iterator[Noticed]:
    """The provider in the two identities."""
    old, now = view.baseline.identity, view.observed.identity
    if old is not None and now is not None and old.provider != now.provider:
        yield Noticed("provider", "another provider is named", "provider", before=old.provider, after=now.provider)


RULE = Rule(
    "provider-changed", "note", check, __doc__, "same rule in both directions: a provider has no opposite", "identity"
)
