"""From a target to the URLs where its card may lie, most specific first; the one locator of every caller (A2A §8.2). Pure.

The well-known path is `/.well-known/agent-card.json` since 0.3.0; `/.well-known/agent.json`, its name before, is tried last and
only where the source allows it. Below a path the well-known name is not what RFC 8615 means, yet common.
"""

import re
from typing import NamedTuple
from urllib.parse import urlsplit

from cardtrail.events.agent_tracked import Target

WELL_KNOWN = "/.well-known/agent-card.json"
LEGACY = "/.well-known/agent.json"
_DEEPEST = 6
_DOMAIN = re.compile(r"[^\s/?#\\@]+\.[^\s/?#\\@]+|localhost(:\d+)?|\[[0-9a-fA-F:.]+\](:\d+)?")


class Place(NamedTuple):
    """A URL to try; `is_legacy` under the old name, `is_nested` with the well-known name below a path."""

    url: str
    is_legacy: bool = False
    is_nested: bool = False


def places(target: Target, *, legacy_path: bool = True) -> tuple[Place, ...]:
    """Where to look; a card URL is used as given and nothing else is asked; none for files, documents and registries."""
    value = target.value.strip()
    if target.kind == "card-url" or (target.kind == "base-url" and value.endswith((WELL_KNOWN, LEGACY))):
        return (Place(value, value.endswith(LEGACY)),)
    if target.kind not in ("domain", "base-url"):
        return ()
    base = value if "://" in value else f"https://{value}"
    origin, prefixes = _prefixes(base)
    found = [Place(f"{origin}{prefix}{WELL_KNOWN}", is_nested=bool(prefix)) for prefix in prefixes]
    if legacy_path:
        found += [Place(f"{origin}{prefix}{LEGACY}", is_legacy=True, is_nested=bool(prefix)) for prefix in prefixes]
    return tuple(found)


def counterpart(place: Place) -> Place:
    """The same place under the other name."""
    old, new = (LEGACY, WELL_KNOWN) if place.is_legacy else (WELL_KNOWN, LEGACY)
    return Place(place.url.removesuffix(old) + new, not place.is_legacy, place.is_nested)


def target_of(text: str, *, exact: bool = False) -> Target:
    """What a person means: an embedded document, a card URL, a base URL, a domain or a file; `exact`: a URL is the card's own."""
    stripped = text.strip()
    if stripped.startswith(("{", "[")) and not _DOMAIN.fullmatch(stripped):
        return Target(kind="document", value=stripped)
    if re.match(r"https?://", stripped, re.IGNORECASE):
        path = stripped.partition("://")[2].partition("/")[2].partition("?")[0]
        return Target(kind="card-url" if exact or path.endswith(".json") else "base-url", value=stripped)
    if (
        _DOMAIN.fullmatch(stripped)
        and not stripped.endswith((".json", ".yaml", ".yml"))
        and not stripped.startswith(".")
    ):
        return Target(kind="domain", value=stripped)
    return Target(kind="file", value=text)


def _prefixes(base: str) -> tuple[str, tuple[str, ...]]:
    """Origin and the path prefixes from the whole path to none; query and fragment say nothing about where a card lies."""
    try:
        parts = urlsplit(base)
    except ValueError:
        return base, ("",)  # the door refuses it by name
    steps = [step for step in parts.path.split("/") if step]
    kept = steps[:_DEEPEST]
    prefixes = ["".join(f"/{step}" for step in kept[:count]) for count in range(len(kept), -1, -1)]
    return f"{parts.scheme}://{parts.netloc}", tuple(prefixes)
