"""The 0.1 member `authentication` → schemes and alternatives; a block that cannot be read is kept as a digest."""

from typing import Any

from cardtrail.events.model.card import SchemeKind, SecurityRequirement, SecurityScheme
from cardtrail.services.card.json_digest import json_digest
from cardtrail.services.card.lift_requirements import ANONYMOUS
from cardtrail.services.card.members import Json, kind
from cardtrail.services.card.notes import Notes

_PATH = "$.authentication"
_WORDS: dict[str, tuple[SchemeKind, str | None]] = {
    "bearer": ("http", "bearer"),
    "basic": ("http", "basic"),
    "digest": ("http", "digest"),
    "apikey": ("apiKey", None),
    "oauth": ("oauth2", None),
    "oauth2": ("oauth2", None),
    "openidconnect": ("openIdConnect", None),
    "oidc": ("openIdConnect", None),
    "mtls": ("mtls", None),
    "mutualtls": ("mtls", None),
}


def lift_authentication(
    card: Json, notes: Notes
) -> tuple[dict[str, SecurityScheme], tuple[SecurityRequirement, ...], str]:
    """Schemes by name, one alternative for each, and the digest of a block that cannot be read ("" where it can)."""
    data = card.get("authentication")
    if data is None:
        return {}, (), ""
    if not notes.legacy_body:
        notes.note("CT083", _PATH, name="authentication", instead="securityRequirements")
    if isinstance(data, dict) and data.get("credentials"):
        notes.note("CT056", f"{_PATH}.credentials")
    words = data.get("schemes") if isinstance(data, dict) else None
    if type(words) is not list or not all(type(word) is str for word in words):
        reason = "no list of scheme names" if isinstance(data, dict) else kind(data)
        notes.note("CT055", _PATH, reason=reason)
        return {}, (), json_digest(data)
    schemes = {word: _scheme(word, index, notes) for index, word in enumerate(words) if not _anonymous(word)}
    return schemes, tuple(_alternative(word, index) for index, word in enumerate(words)), ""


def _anonymous(word: str) -> bool:
    return word.strip().lower() in ANONYMOUS


def _scheme(word: str, index: int, notes: Notes) -> SecurityScheme:
    at = f"{_PATH}.schemes[{index}]"
    known = _WORDS.get(word.strip().lower().replace("-", "").replace("_", ""))
    if known is None:
        notes.note("CT043", at, reason="no known scheme name")
        return SecurityScheme(name=word, kind="unreadable", problem="no known scheme name", at=at)
    return SecurityScheme(name=word, kind=known[0], http_scheme=known[1], at=at)


def _alternative(word: str, index: int) -> SecurityRequirement:
    schemes: dict[str, Any] = {} if _anonymous(word) else {word: ()}
    return SecurityRequirement(schemes=schemes, shape="0.1", at=f"{_PATH}.schemes[{index}]")
