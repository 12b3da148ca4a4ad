"""Another binding or protocol version is now the one to call.

The agent's preference, or what is left of its interfaces, makes this client choose a pair that the lock does not
pin. The new pair may behave otherwise: errors, streaming and limits differ between bindings.

Do: let the probes run against the new interface; pin again when they hold.
"""

from collections.abc import Iterator

from cardtrail.services.verdict.interfaces import chosen_pair, only_lower_left, pinned_pair
from cardtrail.services.verdict.rule import Noticed, Rule
from cardtrail.services.verdict.view import View


def check(view: View) -> Iterator[Noticed]:
    """The chosen pair when it is not the pinned one; a downgrade is another rule's."""
    pinned, chosen = pinned_pair(view), chosen_pair(view)
    if chosen is None or chosen == pinned or only_lower_left(view):
        return
    before, after = " ".join(pinned).strip(), " ".join(chosen).strip()
    message = f"the interface to call was {before or 'unnamed'} and is now {after or 'unnamed'}"
    yield Noticed("interface", message, "interface", needs=before, before=before, after=after)


RULE = Rule(
    "interface-changed", "review", check, __doc__, mirror="same rule in both directions: a choice has no opposite"
)
