"""The card is signed by another key than when the lock was pinned.

Keys are rotated, and cards are taken over. The new signature is good, but it is another one.

Do: compare the key id with what the provider announced; pin again, or list the key in the lock.
"""

from collections.abc import Iterator

from cardtrail.services.verdict.rule import Noticed, Rule
from cardtrail.services.verdict.signatures import is_listed, keys, named, went
from cardtrail.services.verdict.view import View


def check(view: View) -> Iterator[Noticed]:
    """Verified before and now, by none of the keys of before and none that the lock lists."""
    old, now = view.baseline.identity, view.observed.identity
    if old is None or now is None or is_listed(view) or not went(view, {"verified"}, {"verified"}):
        return
    if keys(old).keys().isdisjoint(keys(now)):
        message = f"signed by {named(now)}, before by {named(old)}"
        yield Noticed("signatures", message, "signatures", before=old.signer, after=now.signer)


RULE = Rule(
    "signer-changed", "review", check, __doc__, "same rule in both directions: a rotation has no opposite", "identity"
)
