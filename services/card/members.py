"""Members of one JSON object, by the type that is due: lifted where a convention says how, refused where none does."""

from collections.abc import Iterable
from typing import Any, NoReturn

from cardtrail.events.errors import DocumentRefused
from cardtrail.services.card.card_fields import FIELDS
from cardtrail.services.card.notes import Notes
from cardtrail.services.card.paths import member

Json = dict[str, Any]

LEGACY: dict[str, tuple[str, ...]] = {
    "AgentCard": (
        "url",
        "preferredTransport",
        "protocolVersion",
        "additionalInterfaces",
        "security",
        "supportsAuthenticatedExtendedCard",
        "supportsExtendedAgentCard",
        "authentication",
    ),
    "AgentInterface": ("transport",),
    "AgentCapabilities": ("stateTransitionHistory",),
    "AgentSkill": ("security",),
    "SecurityScheme": (
        *("type", "description", "in", "location", "name", "scheme", "bearerFormat", "flows"),
        *("openIdConnectUrl", "oauth2MetadataUrl"),
    ),
}
"""Members of 0.1 to 0.3 that 1.0 has no longer, by the 1.0 message they stand in."""

KNOWN: dict[str, frozenset[str]] = {
    message: frozenset((*(field.json_name for field in fields), *LEGACY.get(message, ())))
    for message, fields in FIELDS.items()
}
_SNAKE_OF_LEGACY = {
    "preferred_transport": "preferredTransport",
    "additional_interfaces": "additionalInterfaces",
    "supports_authenticated_extended_card": "supportsAuthenticatedExtendedCard",
    "supports_extended_agent_card": "supportsExtendedAgentCard",
    "protocol_version": "protocolVersion",
    "state_transition_history": "stateTransitionHistory",
    "bearer_format": "bearerFormat",
    "open_id_connect_url": "openIdConnectUrl",
    "oauth2_metadata_url": "oauth2MetadataUrl",
    "in_": "in",
}
SPELLINGS: dict[str, dict[str, str]] = {
    message: {
        **{f.proto_name: f.json_name for f in fields if f.proto_name != f.json_name},
        **{snake: name for snake, name in _SNAKE_OF_LEGACY.items() if name in LEGACY.get(message, ())},
    }
    for message, fields in FIELDS.items()
}
"""Names that are not JSON names but mean one, by message: proto names, and what Python servers leak."""


def strangers(data: Json, message: str, at: str, notes: Notes) -> None:
    """Note the members that the message does not have, in order; call it where `data.keys() <= KNOWN[message]` fails."""
    known, spellings = KNOWN[message], SPELLINGS[message]
    for name in data:
        if name in spellings:
            notes.misspelled = True
        elif name not in known:
            path = member(at, name)
            notes.unknown.append(path)
            notes.note("CT005", path, name=name, message=message, among=known)


def require(data: Json, message: str, at: str, notes: Notes) -> None:
    """Note the REQUIRED members that are missing, or empty where 1.0 forbids it."""
    for name in notes.required[message]:
        if not data.get(name):
            value = data.get(name)
            if value is None:
                notes.note("CT010", at, name=name, message=message)
            elif value in ("", []) and (not notes.legacy_body or value == ""):
                notes.note("CT011", f"{at}.{name}", name=name, message=message)


def text(data: Json, name: str, at: str, notes: Notes) -> str:
    """A text, "" where it is absent; a number is read as its digits, anything else as absent, both noted."""
    value = data.get(name)
    if type(value) is str:
        return value
    return "" if value is None else _text_of(value, f"{at}.{name}", notes)


def _text_of(value: Any, path: str, notes: Notes) -> str:  # noqa: ANN401 — any JSON value
    number = type(value) in (int, float)
    read = "read as its digits" if number else "not read"
    notes.note("CT012", path, found=value, due="a text", read=read)
    return str(value) if number else ""


def strings(data: Json, name: str, at: str, notes: Notes) -> tuple[str, ...]:
    """A list of texts; a bare text is read as one, items of another type are left out, both noted.

    Raises:
        DocumentRefused: `wrong-type` for an object, a number or a flag: what it offers cannot be known.
    """
    value = data.get(name)
    if not value and (value is None or type(value) is list):
        return ()
    if type(value) is list:
        for item in value:
            if type(item) is not str:
                return _texts_among(value, f"{at}.{name}", notes)
        return tuple(value)
    if type(value) is not str:
        wrong(value, "a list of texts", f"{at}.{name}")
    notes.note("CT012", f"{at}.{name}", found=value, due="a list of texts", read="read as a list of one")
    return (value,)


def _texts_among(items: list[Any], path: str, notes: Notes) -> tuple[str, ...]:
    for index, item in enumerate(items):
        if item is None:
            notes.note("CT006", f"{path}[{index}]")
        elif type(item) is not str:
            notes.note("CT012", f"{path}[{index}]", found=item, due="a text", read="left out")
    return tuple(item for item in items if type(item) is str)


def flag(data: Json, name: str, at: str, notes: Notes, unreadable: bool | None = None) -> bool | None:  # noqa: FBT001 — what it is read as
    """A flag, None where it is absent; the texts `true` and `false` in any case are read as what they say, and noted.

    What says neither counts as `unreadable`.
    """
    value = data.get(name)
    if value is None or type(value) is bool:
        return value
    read = {"true": True, "false": False}.get(value.strip().lower(), unreadable) if type(value) is str else unreadable
    said = "taken as absent" if read is None else f"read as {str(read).lower()}"
    notes.note("CT015", f"{at}.{name}", found=value, read=said)
    return read


def struct(data: Json, name: str, at: str, notes: Notes) -> Json | None:
    """A free object, None where it is absent; anything else counts as absent and is noted."""
    value = data.get(name)
    if value is None or type(value) is dict:
        return value
    notes.note("CT012", f"{at}.{name}", found=value, due="an object", read="not read")
    return None


def listed(data: Json, name: str, due: str, at: str) -> list[Any]:
    """A list of objects as it stands, empty where it is absent.

    Raises:
        DocumentRefused: `wrong-type`.
    """
    value = data.get(name)
    if value is None:
        return []
    if type(value) is not list:
        wrong(value, due, f"{at}.{name}")
    return value


def wrong(value: Any, due: str, path: str) -> NoReturn:  # noqa: ANN401 — any JSON value
    """Refuse a value of a type that no convention lifts."""
    raise DocumentRefused("wrong-type", f"{kind(value)} where {due} is due", path=path)


def kind(value: Any) -> str:  # noqa: ANN401 — any JSON value
    """The JSON type in words."""
    if isinstance(value, bool) or value is None:
        return "null" if value is None else "true or false"
    names: Iterable[tuple[Any, str]] = (
        ((int, float), "a number"),
        (str, "a text"),
        (list, "a list"),
        (dict, "an object"),
    )
    return next(name for types, name in names if isinstance(value, types))
