"""JSON paths in the RFC 9535 spelling, and card values made fit to be shown: capped, quoted, nothing invisible."""

import json
import re
from typing import Any

_SEGMENT = re.compile(r"\.[A-Za-z_][A-Za-z0-9_]*|\[[0-9]+\]|\['(?:\\.|[^'\\])*'\]", re.DOTALL)
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LONGEST_NAME = 120
_LONGEST_SHOWN = 80
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U0001d159\U000e0100-\U000e01ef]"
)
"""Letters and marks that count as printable and show nothing."""


def member(at: str, name: str) -> str:
    """The path of a member: `$.skills`, or `$['odd name']`; a name over 120 characters is cut with `…`."""
    if _NAME.fullmatch(name) and len(name) <= _LONGEST_NAME:
        return f"{at}.{name}"
    if len(name) > _LONGEST_NAME:
        name = name[:_LONGEST_NAME] + "…"
    escaped = name.replace("\\", "\\\\").replace("'", "\\'")
    return f"{at}['{visible(escaped)}']"


def parent(path: str) -> str:
    """The path one level up; `$` is its own parent."""
    last = 1
    for segment in _SEGMENT.finditer(path, 1):
        last = segment.start()
    return path[:last] if path.startswith("$") else "$"


def shown(value: Any) -> str:  # noqa: ANN401 — any JSON value
    """A value as short JSON: at most 80 characters, every character that cannot be seen as its escape."""
    if isinstance(value, str):
        value = value[: _LONGEST_SHOWN + 1]
    elif isinstance(value, dict | list) and len(value) > _LONGEST_SHOWN:
        return "an object" if isinstance(value, dict) else "a list"
    text = visible(json.dumps(value, ensure_ascii=False, default=str))
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 1] + "…"


def visible(text: str) -> str:
    """The text with every character that cannot be seen (control, bidi, invisible, lone surrogate) written as an escape."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(char if char.isprintable() and not _UNSEEN.match(char) else _escape(char) for char in text)


def _escape(char: str) -> str:
    number = ord(char)
    return f"\\u{number:04x}" if number <= 0xFFFF else f"\\u{{{number:x}}}"  # noqa: PLR2004 — the end of the BMP
