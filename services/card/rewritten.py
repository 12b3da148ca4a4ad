"""Why a good key does not match: which members of the card differ from what was signed, and whether a gateway explains it.

Two ways to know: the last card that verified, or a guess that restores members and makes the signature fit. A fit is proof that
exactly these members were changed after signing.
"""

import copy
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from cardtrail.services.card.card_fields import BY_SPELLING
from cardtrail.services.card.paths import member
from cardtrail.services.card.verification import MAX_PATHS, Difference

_LISTS = ("supportedInterfaces", "supported_interfaces", "additionalInterfaces")
_SCHEMES = {"http": "https", "https": "http"}

Card = dict[str, Any]
Verifies = Callable[[Card], bool]
Change = Callable[[str, int, str], str]


def explain(
    card: Card, previous: Card | None, origins: tuple[str, ...], verifies: Verifies, limit: int
) -> tuple[Difference, ...]:
    """The differences from a card that the signature fits; none where no such card is found.

    `origins` are URLs whose origin may be the agent's own. At most `limit` guesses are tried.
    """
    for guess in islice(_guesses(card, previous, origins), limit):
        if verifies(guess):
            found = differences(card, guess)
            # A member that the form does not see was moved along for nothing.
            return tuple(one for one in found if one.path != "$.url" or not verifies({**guess, "url": card.get("url")}))
    return ()


def only_urls(found: tuple[Difference, ...]) -> bool:
    """Whether interface URLs, changed and not added, alone explain the mismatch."""
    return bool(found) and all(
        _is_interface_url(one.path) and isinstance(one.served, str) and isinstance(one.signed, str) for one in found
    )


def _is_interface_url(path: str) -> bool:
    return path == "$.url" or (path.endswith("].url") and path[2:].startswith(_LISTS))


def _guesses(card: Card, previous: Card | None, origins: tuple[str, ...]) -> Iterator[Card]:
    if previous is not None:
        old = {(name, index): url for name, index, url in _urls(previous)}
        yield _with_urls(card, lambda name, index, url: old.get((name, index), url))
        yield {**previous, "signatures": card.get("signatures")}
    yield {name: value for name, value in card.items() if name in BY_SPELLING["AgentCard"]}
    for change in _changes(card, origins):
        yield _with_urls(card, change)


def _changes(card: Card, origins: tuple[str, ...]) -> Iterator[Change]:
    """Ways in which a gateway may have rewritten every interface URL, undone: scheme, authority, final slash, the legacy twin."""
    yield lambda _name, _index, url: _reschemed(url)
    yield lambda _name, _index, url: url.removesuffix("/") if url.endswith("/") else url + "/"
    legacy = card.get("url")
    if isinstance(legacy, str):
        yield lambda name, index, url: legacy if (name, index) == (_LISTS[0], 0) else url
    for origin in _origins(card, origins):
        yield partial(_at, origin)


def _at(origin: tuple[str, str], _name: str, _index: int, url: str) -> str:
    return _moved(url, origin)


def _urls(card: Card) -> Iterator[tuple[str, int, str]]:
    """Every interface URL with its place: the list's name ("" at top level) and the index in it."""
    if isinstance(card.get("url"), str):
        yield "", 0, card["url"]
    for name in _LISTS:
        entries = card.get(name)
        for index, entry in enumerate(entries if isinstance(entries, list) else []):
            if isinstance(entry, dict) and isinstance(entry.get("url"), str):
                yield name, index, entry["url"]


def _with_urls(card: Card, change: Change) -> Card:
    changed = copy.deepcopy(card)
    for name, index, url in _urls(card):
        holder = changed[name][index] if name else changed
        holder["url"] = change(name, index, url)
    return changed


def _origins(card: Card, more: tuple[str, ...]) -> list[tuple[str, str]]:
    """Scheme and authority of every URL that the card names, in order of appearance, then of those given."""
    found: dict[tuple[str, str], None] = {}
    unsigned = {name: value for name, value in card.items() if name != "signatures"}
    for text in (*islice(_texts(unsigned), 2000), *more):
        parts = _split(text)
        if parts is not None:
            found[(parts.scheme, parts.netloc)] = None
    return list(found)


def _texts(node: Any) -> Iterator[str]:  # noqa: ANN401 — a JSON value
    if isinstance(node, str):
        yield node
    elif isinstance(node, (dict, list)):
        for child in node.values() if isinstance(node, dict) else node:
            yield from _texts(child)


def _split(url: str) -> Any:  # noqa: ANN401 — urllib's result or None
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    return parts if parts.scheme in _SCHEMES and parts.netloc else None


def _moved(url: str, origin: tuple[str, str]) -> str:
    parts = _split(url)
    return url if parts is None else urlunsplit((*origin, *parts[2:]))


def _reschemed(url: str) -> str:
    parts = _split(url)
    return url if parts is None else urlunsplit((_SCHEMES[parts.scheme], *parts[1:]))


def differences(served: Card, signed: Card) -> tuple[Difference, ...]:
    """Members that differ between two cards, `signatures` apart, at the deepest place, 64 at most."""
    one, other = ({k: v for k, v in card.items() if k != "signatures"} for card in (served, signed))
    return tuple(islice(_differ(one, other, "$"), MAX_PATHS))


def _differ(served: Any, signed: Any, at: str) -> Iterator[Difference]:  # noqa: ANN401 — JSON values
    if isinstance(served, dict) and isinstance(signed, dict):
        for name in {**signed, **served}:
            yield from _differ(served.get(name), signed.get(name), member(at, name))
    elif isinstance(served, list) and isinstance(signed, list) and len(served) == len(signed):
        for index, (one, other) in enumerate(zip(served, signed, strict=True)):
            yield from _differ(one, other, f"{at}[{index}]")
    elif type(served) is not type(signed) or served != signed:
        yield Difference(path=at, served=served, signed=signed)
