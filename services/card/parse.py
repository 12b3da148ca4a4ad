"""Untrusted bytes → an accepted JSON document (RFC 8259, I-JSON RFC 7493): the only reader of cards, locks and keys.

Codes: `encoding`, `too-large`, `too-deep`, `too-many-entries`, `json-syntax`, `json-duplicate-member`, `non-finite-number`,
`number-too-long`, `lone-surrogate`, `card-unreadable` (a page, not JSON). A byte order mark and members repeated with an equal
value are accepted with a note.
"""

import codecs
import re
from typing import Any

from pydantic_core import from_json, to_json

from cardtrail.events.errors import DocumentRefused
from cardtrail.services.card.catalogue import diagnostic
from cardtrail.services.card.document import Document
from cardtrail.services.card.places import LIMITS, Limits, place_at
from cardtrail.services.card.scanner import scan

__all__ = ["LIMITS", "Document", "DocumentRefused", "Limits", "parse"]

_WIDE = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_OTHER_FILES = ((b"\x1f\x8b", "gzip-compressed"), (b"PK\x03\x04", "a zip archive"), (b"%PDF-", "a PDF document"))
_PAGE = re.compile(r"<!doctype\s+html|<html|<head|<body|<title|<script|<form", re.IGNORECASE)
_OF_NUMBERS = bytes.maketrans(b"123456789.-+eE", b"0" * 14)


def parse(data: bytes, limits: Limits = LIMITS) -> Document:
    """Read bytes strictly.

    Raises:
        DocumentRefused: code, message, line, column and JSON path of the first offence.
    """
    if len(data) > limits.size:
        raise DocumentRefused("too-large", f"more than {limits.size} bytes", path="$")
    marked = data.startswith(codecs.BOM_UTF8)
    try:
        text = data[3 if marked else 0 :].decode()
        value = from_json(text, allow_inf_nan=False, cache_strings="none")
    except ValueError:
        return _exactly(data, limits, marked=marked)
    if _is_suspect(data, value, limits):
        return _exactly(data, limits, marked=marked)
    return Document(text, value, (_BOM,) if marked else (), limits=limits)


def _exactly(data: bytes, limits: Limits, *, marked: bool) -> Document:
    text = _decoded(data, marked=marked)
    head = text.lstrip()[:1000]
    if head.startswith("<"):
        what = "an HTML page" if _PAGE.search(head) else "markup, not JSON"
        line, column = place_at(text, len(text) - len(text.lstrip()))
        raise DocumentRefused("card-unreadable", what, line=line, column=column, hint="did a login page answer?")
    if not head:
        raise DocumentRefused("json-syntax", "an empty document", line=1, column=1, path="$")
    scanned = scan(text, limits)
    notes = [_BOM] if marked else []
    for path, first, second in scanned.repeats:
        place = place_at(text, second)
        notes.append(diagnostic("CT001", path, place, line=place_at(text, first)[0]))
    return Document(text, scanned.value, tuple(notes), places=scanned.places, limits=limits)


def _decoded(data: bytes, *, marked: bool) -> str:
    """The text without byte order mark."""
    for magic, what in _OTHER_FILES:
        if data.startswith(magic):
            raise DocumentRefused("encoding", f"{what}, not JSON text", line=1, column=1, path="$")
    if data.startswith(_WIDE) or b"\0" in data[:4]:
        raise DocumentRefused("encoding", "UTF-16 or UTF-32; JSON travels as UTF-8", line=1, column=1, path="$")
    try:
        return data[3 if marked else 0 :].decode()
    except UnicodeDecodeError as error:
        line, column = place_at(error.object[: error.start].decode(), len(error.object[: error.start].decode()))
        what = f"byte 0x{error.object[error.start]:02x} is not UTF-8"
        raise DocumentRefused("encoding", what, line=line, column=column, path="$") from error


def _is_suspect(data: bytes, value: Any, limits: Limits) -> bool:  # noqa: ANN401 — any JSON value
    """Whether only the exact reader may judge: the fast one drops repeated members and takes any depth and number."""
    written = to_json(value, indent=1)  # a line for each member and item, indented by its depth
    return (
        written.count(b":") != data.count(b":")  # a member that was dropped took its colon along
        or (b"\\" in data and b"\\u003a" in data.lower())  # a colon that this count does not see
        or b"\n" + b" " * limits.depth in written
        or (len(data) > 2 * limits.entries and written.count(b"\n") > limits.entries)
        or b"Infinity" in written
        or b"0" * (limits.digits + 1) in data.translate(_OF_NUMBERS)
    )


_BOM = diagnostic("CT002", "$", (1, 1))
