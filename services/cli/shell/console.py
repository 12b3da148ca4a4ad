"""The terminal: results on stdout, progress and hints on stderr, colour and marks as the terminal can show them."""

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from shutil import get_terminal_size
from typing import Any, Literal, TextIO

from cardtrail.events.errors import UsageError
from cardtrail.services.cli.shell.table import table
from cardtrail.services.cli.shell.text import cut, disarmed, guarded, padded

Level = Literal["ok", "error", "warning", "note", "unknown"]
When = Literal["auto", "always", "never"]

_MARKS: dict[Level, str] = {"ok": "✓", "error": "✗", "warning": "!", "note": "·", "unknown": "?"}
_COLOURS: dict[Level, str] = {"ok": "32", "error": "31", "warning": "33", "note": "36", "unknown": "35"}
_ASCII = str.maketrans({"✓": "v", "✗": "x", "·": "-", "×": "x", "→": "->", "…": "...", "—": "-"})


class OutputUnwritable(UsageError):
    """Stdout or stderr does not take what we say: a full disk, a lost terminal."""


class Style:
    """How a text looks: with or without colour. A file and a pipe get none."""

    def __init__(self, *, colour: bool = False, columns: int = 0) -> None:
        """`columns` of a terminal: tables are padded for people and folded there; 0: tabs stand between cells, nothing is cut."""
        self.colour, self.columns = colour, columns

    def paint(self, text: str, level: Level) -> str:
        """The text in the level's colour; always beside a mark or a word, never alone."""
        return f"\x1b[{_COLOURS[level]}m{text}\x1b[0m" if self.colour else text

    def marked(self, level: Level, word: str, columns: int = 0) -> str:
        """The level's mark and a word, padded to a width."""
        return self.paint(padded(f"{_MARKS[level]} {word}", columns), level)

    def table(self, header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
        """Rows as lines: padded under their header for people, tabs for programs; same rows, same order."""
        if not self.columns:
            return ["\t".join(row) for row in (header, *rows)]
        return table(header, rows, self.columns)


class Console:
    """The two streams of one run; `json` says that stdout carries JSON alone."""

    def __init__(self, *, json: bool = False, when: When = "auto", environ: Mapping[str, str] | None = None) -> None:
        """Look at the streams and the environment (NO_COLOR, CLICOLOR, CLICOLOR_FORCE, TERM, GITHUB_ACTIONS) once."""
        environ = os.environ if environ is None else environ
        self.json = json
        self._runner = bool(environ.get("GITHUB_ACTIONS"))
        self.out = Style(colour=_coloured(sys.stdout, when, environ), columns=_columns(sys.stdout))
        self.err = Style(colour=_coloured(sys.stderr, when, environ))

    def lines(self, *lines: str) -> None:
        """Result lines on stdout."""
        self._write(sys.stdout, "".join(f"{line}\n" for line in lines))

    def hint(self, *lines: str) -> None:
        """Hints and progress on stderr; silent in JSON mode, where a program reads."""
        if not self.json:
            self.problem(*lines)

    def progress(self, text: str) -> None:
        """One line on stderr that the next one replaces, "" takes away; only where a person watches."""
        columns = _columns(sys.stderr)
        if columns and not self.json:
            _put(sys.stderr, f"\r\x1b[K{cut(guarded(text), columns - 1)}")
            flush()

    def problem(self, *lines: str) -> None:
        """What went wrong, on stderr, in every mode."""
        self._write(sys.stderr, "".join(f"{line}\n" for line in lines))

    def document(self, value: object) -> None:
        """One JSON document on stdout."""
        self.lines(as_json(value))

    def document_line(self, value: object) -> None:
        """One JSON value on one line of stdout, handed over at once: JSON Lines."""
        self.lines(as_json(value, indent=None))
        flush()

    def commands(self, text: str) -> None:
        """Lines for a CI runner, already encoded by the format that owns them: the only ones that may begin with `::`."""
        _put(sys.stdout, text)

    def _write(self, stream: TextIO | None, text: str) -> None:
        text = guarded(text)
        _put(stream, disarmed(text) if self._runner else text)


def as_json(value: object, *, indent: int | None = 2) -> str:
    """ASCII JSON: everything unusual is escaped, nothing in it is a command to a CI runner."""
    return json.dumps(value, indent=indent, ensure_ascii=True, default=_jsonable).replace("##", "#\\u0023")


def _jsonable(value: Any) -> object:  # noqa: ANN401 — json.dumps hands over what it does not know
    from pydantic_core import to_jsonable_python  # noqa: PLC0415 — most documents are plain already

    return to_jsonable_python(value)


def _put(stream: TextIO | None, text: str) -> None:
    if stream is None:  # the descriptor was closed by whoever started us
        return
    encoding = stream.encoding or "ascii"
    if encoding.lower().replace("-", "") != "utf8":
        text = text.translate(_ASCII)
    with _writing():
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding))


def flush() -> None:
    """Hand over what is still held back.

    Raises:
        OutputUnwritable: it could not be written; a closed pipe stays a BrokenPipeError.
    """
    with _writing():
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()


@contextmanager
def _writing() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputUnwritable("output-unwritable", str(error.strerror)) from error


def _terminal(stream: TextIO | None) -> bool:
    return stream is not None and stream.isatty()


def _columns(stream: TextIO | None) -> int:
    return get_terminal_size().columns if _terminal(stream) else 0


def _coloured(stream: TextIO | None, when: When, environ: Mapping[str, str]) -> bool:
    if when != "auto":
        return when == "always"
    if environ.get("NO_COLOR"):
        return False
    if environ.get("CLICOLOR_FORCE", "0") not in {"", "0"}:
        return True
    return _terminal(stream) and environ.get("CLICOLOR") != "0" and environ.get("TERM") != "dumb"
