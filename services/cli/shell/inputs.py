"""What a command is given: a file, `-` for stdin, or a URL, as bytes; read up to a cap, with the reason where it cannot be."""

import json
import sys
from pathlib import Path
from typing import BinaryIO, NamedTuple, TextIO

from cardtrail.events.errors import UsageError
from cardtrail.events.model.finding import Diagnostic
from cardtrail.services.card.document import LIMITS

STDIN = "-"
_LOOKED_INTO = 64
_taken: list[TextIO] = []


class Given(NamedTuple):
    """`name` as it was typed; `file` for places in it; `location` the URL that answered, "" for a file; `odd` about the way."""

    name: str
    data: bytes
    file: str
    location: str = ""
    odd: tuple[Diagnostic, ...] = ()


def is_url(name: str) -> bool:
    """Does it name something on the network?"""
    return name.lower().startswith(("https://", "http://"))


def read_file(name: str, most: int = LIMITS.size, holds: tuple[str, ...] = ()) -> Given:
    """A file or stdin; at most one byte more than `most`, so that the parser refuses it as too large.

    Where there is no such file, those beside it are suggested that hold one of the members `holds`; all where none is named.

    Raises:
        UsageError: `file-unreadable`.
    """
    if not name:
        raise UsageError("file-unreadable", '"" names no file', hint="a card is a file, - or an http(s) URL")
    try:
        if name == STDIN:
            return Given(name, _stdin().read(most + 1), "stdin")
        with Path(name).open("rb") as opened:
            return Given(name, opened.read(most + 1), name)
    except (OSError, ValueError, AttributeError) as error:
        reason = getattr(error, "strerror", None) or "cannot be read"
        raise UsageError(
            "file-unreadable", reason[:1].lower() + reason[1:], hint=_hint(name, holds), file=name
        ) from error


def _stdin() -> BinaryIO:
    """Standard input, once: whoever asks again would be given nothing and take it for an empty document."""
    if _taken and _taken[0] is sys.stdin:
        raise UsageError("argument-repeated", "- is given twice", hint="standard input can be read once; name a file")
    _taken[:] = [sys.stdin]
    return sys.stdin.buffer


def _hint(name: str, holds: tuple[str, ...]) -> str:
    if "://" in name:
        return "only http and https URLs are fetched"
    folder = Path(name).parent
    try:
        from cardtrail.services.cli.shell.near import near  # noqa: PLC0415 — only a wrong name needs it

        names = [path.name for path in folder.iterdir()] if folder.is_dir() else []
    except OSError:
        return ""
    kept = [one for one in names if _has(folder / one, holds)] if holds and len(names) <= _LOOKED_INTO else names
    return near(Path(name).name, kept)


def _has(path: Path, members: tuple[str, ...]) -> bool:
    """Is it JSON with one of these members? What cannot be read is not what was meant."""
    try:
        value = json.loads(path.read_bytes()) if path.is_file() and path.stat().st_size <= LIMITS.size else None
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(value, dict) and not value.keys().isdisjoint(members)
