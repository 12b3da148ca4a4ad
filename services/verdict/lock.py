"""The lockfile as bytes: strict reading with places, byte-stable writing, digest, integrity and JSON Schema.

Codes: `lock-version-unknown`, `lock-tampered`, `lock-not-an-object`, `lock-member-missing`, `lock-member-unknown`,
`lock-type-wrong`, `lock-value-wrong`; what is no JSON is refused by the parser's codes. `$schema` and members that begin with
`x-` are left alone.
"""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from pydantic import ValidationError

from cardtrail.events.canonical import digest
from cardtrail.events.errors import InputRefused
from cardtrail.events.model.finding import Diagnostic
from cardtrail.events.model.lockfile import Lockfile
from cardtrail.services.card.document import Document, Limits
from cardtrail.services.card.parse import parse
from cardtrail.services.card.paths import shown
from cardtrail.services.verdict.lock_doubts import doubts
from cardtrail.services.verdict.lock_refusals import refused, unreadable
from cardtrail.services.verdict.lock_values import wrong_values
from cardtrail.services.verdict.view import Baseline

LOCKFILE_VERSION = 1
LOCK_LIMITS = Limits(size=4 << 20, entries=200_000)
"""A lock carries the profile it was pinned with: several times what a card may be."""
_WIDEST = 90


class LockReading(NamedTuple):
    """A lock that was accepted; `places(path)` gives line and column of a JSON path, or of the nearest value around it."""

    lockfile: Lockfile
    places: Callable[[str], tuple[int, int]]
    diagnostics: tuple[Diagnostic, ...] = ()


def read_lock(data: bytes, file: str = "") -> LockReading:
    """Read a lock strictly.

    Raises:
        InputRefused: code, JSON path, line, column and a hint of the first offence (exit 3).
    """
    document = _parsed(data, file)
    value = document.value
    if not isinstance(value, dict):
        raise refused("lock-not-an-object", f"a lock is a JSON object, not {shown(value)}", document, "$", file=file)
    version = value.get("lockfile_version", LOCKFILE_VERSION)
    if type(version) is int and version != LOCKFILE_VERSION:
        message = f"{shown(version)}; this release reads {LOCKFILE_VERSION}"
        hint = "upgrade, or pin again: cardtrail pin CARD --workflow W -o LOCK"
        raise refused("lock-version-unknown", message, document, "$.lockfile_version", file=file, hint=hint)
    _check_integrity(value, document, file)
    known = {name: member for name, member in value.items() if name != "$schema" and not name.startswith("x-")}
    try:
        lock = Lockfile.model_validate_json(json.dumps(_no_tenant(known)), strict=True)
        if lock.baseline is not None:
            Baseline.model_validate_json(json.dumps(lock.baseline), strict=True)
    except ValidationError as error:
        raise unreadable(error, document, file) from error
    for one in wrong_values(lock):
        raise refused("lock-value-wrong", one.said, document, one.path, file=file, hint=one.hint)
    return LockReading(lock, document.place, (*document.notes, *doubts(lock, document)))


def write_lock(lock: Lockfile) -> bytes:
    """The lock as reviewable JSON: members in fixed order, defaults left out, two spaces, one newline; same lock, same bytes."""
    return (_rendered(_document(lock), "") + "\n").encode()


def sealed(lock: Lockfile) -> Lockfile:
    """The lock with `integrity` over its content, so that an edit by hand is noticed."""
    return lock.model_copy(update={"integrity": lock_digest(lock)})


def lock_digest(lock: Lockfile) -> str:
    """`sha256:` + 64 hex over the canonical lock without `integrity`."""
    return _content_digest(_document(lock))


def lockfile_schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of a lockfile."""
    schema = Lockfile.model_json_schema()
    schema["properties"]["lockfile_version"] = {"const": LOCKFILE_VERSION, "default": LOCKFILE_VERSION}
    schema["properties"]["$schema"] = {"type": "string"}
    schema["patternProperties"] = {"^x-": {}}
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Cardtrail lockfile"}
    return {**schema, **head}


def _parsed(data: bytes, file: str) -> Document:
    try:
        return parse(data, LOCK_LIMITS)
    except InputRefused as error:
        error.file = file
        if error.code == "card-unreadable":  # a page, where a lock is due
            error.code = "json-syntax"
        raise


def _rendered(value: Any, indent: str) -> str:  # noqa: ANN401 — any JSON value
    """JSON with two spaces a level; a list of plain values stays on its line while it is short, so that a diff shows one line."""
    plain = json.dumps(value, ensure_ascii=False, allow_nan=False)
    items: list[str]
    if isinstance(value, dict) and value:
        items = [
            f"{json.dumps(name, ensure_ascii=False)}: {_rendered(one, indent + '  ')}" for name, one in value.items()
        ]
        brackets = "{}"
    elif isinstance(value, list) and (len(plain) > _WIDEST or any(isinstance(one, dict | list) for one in value)):
        items, brackets = [_rendered(one, indent + "  ") for one in value], "[]"
    else:
        return plain
    inner = f",\n{indent}  ".join(items)
    return f"{brackets[0]}\n{indent}  {inner}\n{indent}{brackets[1]}"


def _document(lock: Lockfile) -> dict[str, Any]:
    kept = lock.model_dump(mode="json", exclude_defaults=True)
    needs = kept["requires"]
    needs["skills"] = {id_: needs["skills"][id_] for id_ in sorted(needs.get("skills", {}))}
    shape = {"streaming": lock.requires.streaming, **needs, "extensions": list(lock.requires.extensions)}
    kept = {"lockfile_version": lock.lockfile_version, **kept, "requires": shape}
    for name in ("credentials", "severities", "verified", "baseline"):
        if kept.get(name):
            kept[name] = _sorted(kept[name])
    return kept


def _sorted(value: Any) -> Any:  # noqa: ANN401 — any JSON value
    if isinstance(value, dict):
        return {name: _sorted(value[name]) for name in sorted(value)}
    return [_sorted(one) for one in value] if isinstance(value, list) else value


def _content_digest(value: dict[str, Any]) -> str:
    return digest({name: member for name, member in value.items() if name != "integrity"})


def _check_integrity(value: dict[str, Any], document: Document, file: str) -> None:
    stated = value.get("integrity", "")
    if not isinstance(stated, str) or not stated:
        return
    try:
        content = _content_digest(value)
    except InputRefused as error:
        raise refused(error.code, "an integer beyond 2^53-1 has no digest", document, "$", file=file) from error
    if stated != content:
        hint = "undo the edit, or pin again: cardtrail pin CARD --workflow W -o LOCK"
        message = "the content does not match the digest given: the lock was edited after it was sealed"
        raise refused("lock-tampered", message, document, "$.integrity", file=file, hint=hint)


def _no_tenant(value: dict[str, Any]) -> dict[str, Any]:
    """An interface with `"tenant": null` pins that there is none; one without the member pins nothing."""
    interface = value.get("interface")
    if isinstance(interface, dict) and "tenant" in interface and interface["tenant"] is None:
        return {**value, "interface": {**interface, "tenant": ""}}
    return value
