"""How media types compare: type and subtype without case, parameters apart; a bare word is an opaque token.

A wildcard that an agent offers covers what it names; a wildcard that is wanted is covered by the same or a wider one only,
and as an output it is met in part by whatever lies in it.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache

_USUAL = {
    "text": ("text/plain",),
    "txt": ("text/plain",),
    "md": ("text/markdown",),
    "jpg": ("image/jpeg",),
    "svg": ("image/svg+xml",),
    "image": ("image/png", "image/jpeg"),
    "audio": ("audio/mpeg", "audio/wav"),
    "video": ("video/mp4",),
}


_REMEMBERED = 200
"""Characters of a mode: longer ones are no media types, and a card may be full of them."""


def essence(mode: str) -> str:
    """The mode without parameters, spaces and case: `Text/Plain; charset=x` → `text/plain`."""
    return _usual(mode) if len(mode) <= _REMEMBERED else _essence(mode)


def _essence(mode: str) -> str:
    plain = mode.partition(";")[0].strip().lower()
    return "*/*" if plain == "*" else plain


_usual = lru_cache(maxsize=65_536)(_essence)


def coverers(mode: str) -> tuple[str, ...]:
    """The offers that cover the mode: itself, and the ranges (`image/*`, `*/*`) that hold it."""
    want = essence(mode)
    kind, slash, _ = want.partition("/")
    return (want, f"{kind}/*", "*/*") if slash else (want,)


class Offer:
    """Modes that are offered, to be asked about one by one; a card may list thousands, and as many be wanted."""

    def __init__(self, modes: Iterable[str]) -> None:
        """Index them: the first of one essence, and of one subtype, counts."""
        self._modes = tuple(modes)
        self._at: dict[str, int] = {}
        self._of_subtype: dict[str, int] = {}
        self._kinds: set[str] = set()
        for position, mode in enumerate(self._modes):
            have = essence(mode)
            self._at.setdefault(have, position)
            kind, slash, subtype = have.partition("/")
            if slash:
                self._kinds.add(kind)
                self._of_subtype.setdefault(subtype, position)

    def __iter__(self) -> Iterator[str]:
        """The modes as they are offered."""
        return iter(self._modes)

    def covers(self, wanted: str) -> bool:
        """Whether one of them is the wanted one, or a range that holds it."""
        return any(one in self._at for one in coverers(wanted))

    def lies_in(self, wanted: str) -> bool:
        """Whether the wanted one is a range and one of them lies in it: who reads `image/*` can read `image/png`."""
        kind, slash, subtype = essence(wanted).partition("/")
        return bool(slash) and subtype == "*" and (kind in self._kinds or (kind == "*" and bool(self._kinds)))

    def respelling(self, wanted: str) -> str | None:
        """The first that is it, spelt otherwise: `text` ↔ `text/plain`, `json` ↔ `application/json`, `text` → `*/*`."""
        want = essence(wanted)
        _, slash, subtype = want.partition("/")
        if slash:
            words = (subtype, *(word for word, types in _USUAL.items() if want in types))
            found = [self._at[word] for word in words if "/" not in word and word in self._at]
        else:
            types = _USUAL.get(want, ())
            ranges = (*(f"{full.partition('/')[0]}/*" for full in types), "*/*")
            found = [self._at[full] for full in (*types, *ranges) if full in self._at]
            found += [self._of_subtype[want]] if want in self._of_subtype else []
        return self._modes[min(found)] if found else None


def missing(wanted: Iterable[str], offered: Iterable[str]) -> list[str]:
    """The wanted modes that nothing offered covers, in order."""
    have = offered if isinstance(offered, Offer) else Offer(offered)
    return [mode for mode in wanted if not have.covers(mode)]


def lost(wanted: Iterable[str], offered: Offer) -> list[str]:
    """The wanted modes that nothing offered covers, not even spelt otherwise, in order."""
    return [mode for mode in missing(wanted, offered) if offered.respelling(mode) is None]


def added(before: Iterable[str], after: Iterable[str]) -> list[str]:
    """The modes of `after` that `before` did not cover, sorted, each essence once."""
    return sorted(set(missing(map(essence, after), before)))


def listed(modes: Iterable[str]) -> list[str]:
    """Modes as a set to show and to fingerprint: essences, sorted."""
    return sorted({essence(mode) for mode in modes})
