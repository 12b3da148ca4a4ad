"""What reading one card notices that reading another did not: defects that came with a change. Pure."""

import re
from collections import Counter

from cardtrail.events.model.finding import Diagnostic
from cardtrail.services.card.read import CardReading

_INDEX = re.compile(r"\[\d+\]")
_UNCOUNTED = frozenset({"CT099"})


def new_diagnostics(old: CardReading, new: CardReading) -> tuple[Diagnostic, ...]:
    """The diagnostics of the new card without those that the old one had, wherever in a list they stood there."""
    known = Counter(map(_natural, old.diagnostics))
    found = []
    for one in new.diagnostics:
        if known[_natural(one)] > 0:
            known[_natural(one)] -= 1
        elif one.code not in _UNCOUNTED:
            found.append(one)
    return tuple(found)


def _natural(one: Diagnostic) -> tuple[str, str, str]:
    return one.code, _INDEX.sub("[]", one.path), _INDEX.sub("[]", one.message)
