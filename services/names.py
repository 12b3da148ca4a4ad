"""Names that people give to agents, workflows, credentials and channels: what a name may be, and which two are mistaken. Pure.

They stand in facts, subjects, buckets and reports, so they are refused where they are given: one that nobody can read, or
tell from another, cannot be asked for (Unicode TR 36 §2, TS 39 §4 and §5.1, in the part that needs no data files).
"""

import unicodedata
from collections.abc import Iterable, Iterator

from cardtrail.services.card.paths import visible
from cardtrail.services.places import has_login

LONGEST = 200
"""Characters; a URL may be an agent's name."""

_SCRIPTS = frozenset(("LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC", "GEORGIAN"))
"""Alphabets with letters that look like those of another."""
_LOOKALIKES = str.maketrans(
    "аеорсхуіјѕһԁԛԝвкмнтгпɡοανρτυχιѐıℓ01",
    "aeopcxyijshdqwbkmhtrngoavptuxieilol",
)
"""After case folding."""


def wrong(name: str) -> str:
    """Why it cannot be a name, in the words after `a name`; "" where it can."""
    if not name.strip():
        return "that is empty"
    if len(name) > LONGEST:
        return f"of {len(name)} characters; at most {LONGEST} are taken"
    if name != name.strip():
        return "with white space around it"
    odd = next((character for character in name if visible(character) != character), "")
    if odd:
        return f"with a character that cannot be seen ({visible(odd)})"
    if has_login(name):
        return "that carries a user name or password; the log keeps what it is told"
    scripts = sorted({script for character in name if (script := _script(character)) in _SCRIPTS})
    if len(scripts) > 1:
        return f"in letters of {' and '.join(word.capitalize() for word in scripts)}, which look alike"
    return ""


def alike(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Each name that is read like an earlier one, with that one: other case, width or look-alike letters."""
    first: dict[str, str] = {}
    for name in names:
        seen = first.setdefault(skeleton(name), name)
        if seen != name:
            yield name, seen


def skeleton(name: str) -> str:
    """What a reader sees: two names with one skeleton are mistaken for each other."""
    return unicodedata.normalize("NFKC", name).casefold().translate(_LOOKALIKES)


def _script(character: str) -> str:
    return unicodedata.name(character, "").partition(" ")[0] if character.isalpha() else ""
