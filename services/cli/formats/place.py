"""Where a value ends in a text, and how a file is named in a report; beside the working directory, pure."""

import json
import os
import posixpath
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from urllib.parse import quote

from cardtrail.services.cli.formats.report import Place
from cardtrail.services.cli.shell.inputs import is_url
from cardtrail.services.cli.shell.text import plain

_LONGEST = 4_096


def spanned(file: str, text: str, line: int, column: int) -> Place:
    """The place of the JSON value that starts there, with its end; without one where no value can be read."""
    starts = _starts(text)
    if not 0 < line <= len(starts):
        return Place(file)
    offset = starts[line - 1] + column - 1
    try:
        _, end = json.JSONDecoder().raw_decode(text, offset)
    except (ValueError, RecursionError, IndexError):
        return Place(file, line, column)
    end_line = text.count("\n", 0, end) + 1
    return Place(file, line, column, end_line, end - starts[end_line - 1] + 1)


def path(file: str) -> str:
    """A file as a repository names it, nothing encoded; what cannot be seen in it as its code."""
    return plain(_named(file), _LONGEST)


def uri(file: str) -> str:
    """The same as a URI: percent-encoded, `file://` where it lies elsewhere."""
    name = _named(file)
    if is_url(name):
        return quote(name, safe=":/?#[]@!$&'()*+,;=%", errors="replace")
    return ("file://" if name.startswith("/") else "") + quote(name, errors="replace")


def _named(file: str) -> str:
    """Relative below the working directory, with forward slashes; a URL as it is; `stdin` for `-`."""
    if file in {"-", ""}:
        return "stdin"
    if is_url(file):
        return file
    for absolute in (Path(file), Path(file).resolve()) if Path(file).is_absolute() else ():
        with suppress(OSError, ValueError):  # no working directory any more, or not below it
            return absolute.relative_to(Path.cwd()).as_posix()
    return posixpath.normpath(file.replace(os.sep, "/"))


@lru_cache(maxsize=4)
def _starts(text: str) -> tuple[int, ...]:
    starts = [0]
    while (newline := text.find("\n", starts[-1])) >= 0:
        starts.append(newline + 1)
    return tuple(starts)
