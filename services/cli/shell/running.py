"""One run: a command line in, output and an exit code out, whatever happens; no traceback leaves here."""

import io
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from itertools import pairwise
from typing import TextIO

import click
from click.shell_completion import shell_complete

from cardtrail.services.cli.main import INTERRUPTED
from cardtrail.services.cli.shell.command import COMPLETE
from cardtrail.services.cli.shell.console import Console, OutputUnwritable, When, flush
from cardtrail.services.cli.shell.failure import CLOSED_PIPE, tell, told
from cardtrail.services.cli.shell.root import program


def unbreakable() -> None:
    """Let no character that the terminal lacks stop a line."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def run(arguments: Sequence[str]) -> int:
    """Run one command line; returns the exit code (see `cardtrail help exit-codes`)."""
    try:
        code = _run(list(arguments))
        flush()
    except KeyboardInterrupt:
        _silence()  # what is held back is half of something
        return INTERRUPTED
    except BrokenPipeError:
        _silence()
        return CLOSED_PIPE
    except OutputUnwritable as error:
        _silence()
        return _told_elsewhere(error)
    return code


def _told_elsewhere(error: OutputUnwritable) -> int:
    """On stderr, unless that takes nothing either: then the exit code has to do."""
    try:
        tell(_console([]), error)
        flush()
    except (OutputUnwritable, BrokenPipeError):
        _silence(sys.stderr)
    return error.exit_code


def _run(arguments: list[str]) -> int:
    try:
        return _invoked(arguments)
    except click.exceptions.NoArgsIsHelpError as page:
        click.echo(page.format_message())
        return 0
    except click.exceptions.Exit as done:
        return done.exit_code
    except (BrokenPipeError, OutputUnwritable):
        raise
    except Exception as error:  # noqa: BLE001 — the last line of defence: a defect is told in one line
        if _is_interruption(error):
            return INTERRUPTED
        return tell(_console(arguments), told(error))


def _is_interruption(error: BaseException | None) -> bool:
    """Whether it all began with Ctrl-C: Python 3.11 makes another error of it where a class is being made."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


def _invoked(arguments: list[str]) -> int:
    root = program()
    asked = os.environ.get(COMPLETE)
    if asked:
        return shell_complete(root, {}, "cardtrail", COMPLETE, asked)
    with root.make_context("cardtrail", arguments) as context:
        code = root.invoke(context)
    return code if isinstance(code, int) else 0


def _console(arguments: list[str]) -> Console:
    """The console for a command line that may not have been understood: `--json` and `--color` count wherever they stand."""
    before = arguments[: arguments.index("--")] if "--" in arguments else arguments
    words = {f"{name}={value}" for name, value in pairwise(before)} | set(before)
    set_ = os.environ.get("CARDTRAIL_JSON", "0") not in {"", "0", "false"}
    chosen = any(word.startswith("--format=") for word in words)
    asked = bool(words & {"--json", "--format=json"}) or set_
    asked = asked or (not chosen and os.environ.get("CARDTRAIL_FORMAT") == "json")
    when: When = next((when for when in ("always", "never") if f"--color={when}" in words), "auto")
    return Console(json=asked, when=when)


def _silence(stream: TextIO | None = None) -> None:
    """Point a stream (stdout) at nothing, so that the interpreter's own last flush cannot complain."""
    with suppress(OSError, ValueError, AttributeError):  # it may be closed, or none at all
        os.dup2(os.open(os.devnull, os.O_WRONLY), (stream or sys.stdout).fileno())
