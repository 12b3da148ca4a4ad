"""Names that somebody may have meant."""

from collections.abc import Iterable
from difflib import get_close_matches

_SHORT = 8


def near(given: str, known: Iterable[str]) -> str:
    """A hint: the one that is nearly the same, else the nearest, else all of them where they are few."""
    names = sorted(set(known) - {given})
    close = get_close_matches(given, names, n=1, cutoff=0.85) or get_close_matches(given, names, n=3, cutoff=0.6)
    if close:
        return f"did you mean {' or '.join(close)}?"
    return f"one of {', '.join(names)}" if 0 < len(names) <= _SHORT else ""
