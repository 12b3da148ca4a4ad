"""Digests over JSON values of any numbers: RFC 8785, and the same bytes by a faster way where the value allows it."""

import hashlib
from typing import Any

from pydantic_core import to_json

from cardtrail.events.canonical import canonical
from cardtrail.events.errors import InputRefused

_LARGEST = 2**53 - 1


def json_digest(value: Any) -> str:  # noqa: ANN401 — any JSON value
    """`sha256:` + 64 hex over the RFC 8785 form; an integer that form cannot hold counts as the text of its digits."""
    try:
        data = canonical(value)
    except InputRefused:
        data = canonical(_exact(value))
    return "sha256:" + hashlib.sha256(data).hexdigest()


def equal(one: Any, other: Any) -> bool:  # noqa: ANN401 — any JSON values
    """Whether two values have one such digest: `1` and `1.0` have, `1` and `true` have not."""
    return bool(one == other) and json_digest(one) == json_digest(other)


def plain_digest(value: Any) -> str:  # noqa: ANN401 — texts, flags, null, lists and objects only
    """The same digest, many times as fast, of a value without numbers whose objects are `in_order`."""
    return "sha256:" + hashlib.sha256(to_json(value)).hexdigest()


def in_order(members: dict[str, Any]) -> dict[str, Any]:
    """The members sorted as RFC 8785 §3.2.3 wants them: by UTF-16 code unit, for ASCII names by code point."""
    if len(members) <= 1:
        return members
    plain = "".join(members).isascii()
    return {name: members[name] for name in (sorted(members) if plain else sorted(members, key=_utf16))}


def _utf16(name: str) -> bytes:
    return name.encode("utf-16-be", "surrogatepass")


def _exact(value: Any) -> Any:  # noqa: ANN401 — any JSON value
    if isinstance(value, dict):
        return {name: _exact(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_exact(item) for item in value]
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > _LARGEST:
        return str(value)
    return value
