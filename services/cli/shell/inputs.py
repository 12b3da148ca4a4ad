"""What a command is given: a file, `-` for stdin, or a URL, as bytes; read up to a cap, with the reason where it cannot be."""

import sys
from pathlib import Path
from typing import BinaryIO, NamedTuple, TextIO

from cardtrail.events.errors import UsageError
from cardtrail.events.model.finding import Diagnostic
from cardtrail.services.card.document import LIMITS

STDIN = "-"
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


def read_file(name: str, most: int = LIMITS.size) -> Given:
    """A file or stdin; at most one byte more than `most`, so that the parser refuses it as too large.

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
        raise UsageError("file-unreadable", reason[:1].lower() + reason[1:], hint=_hint(name), file=name) from error


def _stdin() -> BinaryIO:
    """Standard input, once: whoever asks again would be given nothing and take it for an empty document."""
    if _taken and _taken[0] is sys.stdin:
        raise UsageError("argument-repeated", "- is given twice", hint="standard input can be read once; name a file")
    _taken[:] = [sys.stdin]
    return sys.stdin.buffer


def _hint(name: str) -> str:
    if "://" in name:
        return "only http and https URLs are fetched"
    folder = Path(name).parent
    try:
        from cardtrail.services.cli.shell.near import near  # noqa: PLC0415 — only a wrong name needs it

        names = [path.name for path in folder.iterdir()] if folder.is_dir() else []
    except OSError:
        return ""
    return near(Path(name).name, names) if names else ""
