"""From a report to stdout and files: one run, as many formats as asked for, also where the run fails."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import click

from cardtrail.events.errors import UsageError
from cardtrail.services.cli.formats import FORMATS, render
from cardtrail.services.cli.formats.failed import failed
from cardtrail.services.cli.formats.report import Report, Tool
from cardtrail.services.cli.shell.command import repeated
from cardtrail.services.cli.shell.console import Console, OutputUnwritable, Style
from cardtrail.services.cli.shell.failure import error_lines, told
from cardtrail.services.cli.shell.near import near
from cardtrail.services.cli.shell.options import Printing
from cardtrail.services.cli.shell.outfile import write_text


class Wanted(NamedTuple):
    """What stdout gets, and format → file for the rest."""

    stdout: str
    files: tuple[tuple[str, str], ...]


@dataclass(slots=True)
class Run:
    """What is known of a run before it has a report: tool, where to write, how to repeat it, the file it is about, and whose."""

    tool: Tool
    where: Wanted
    repeat: str
    file: str
    about: tuple[str, str] = field(default=("", ""))


@contextmanager
def reporting(console: Console, tool: Tool, printing: Printing, *arguments: str, file: str) -> Iterator[Run]:
    """What fails inside is written in every format that is asked for, then raised.

    Raises:
        UsageError: as `wanted`.
    """
    run = Run(tool, wanted(console, printing), repeated(click.get_current_context()), file)
    try:
        yield run
    except (BrokenPipeError, OutputUnwritable):
        raise
    except Exception as error:
        report = replace(failed(tool, told(error), arguments, file, run.about), repeat=run.repeat)
        for unwritable in _written(report, run.where):
            console.problem(*error_lines(console.err, unwritable))
        if run.where.stdout not in {"text", "json"} and not console.json:  # those tell the error themselves
            _printed(console, report, run.where)
        raise


def wanted(console: Console, printing: Printing) -> Wanted:
    """Read `--format` and `--out`, before any work is done.

    Raises:
        UsageError: `option-value` for an unknown format, no file, stdout, or one file twice.
    """
    files: list[tuple[str, str]] = []
    for out in printing.outs:
        name, _, file = out.partition("=")
        if name not in FORMATS:
            raise UsageError("option-value", f'--out "{out}": "{name}" is no format', hint=near(name, FORMATS))
        if not file:
            raise UsageError("option-value", f'--out "{out}" names no file', hint=f"--out {name}=FILE")
        if file == "-":
            hint = f"--format {name}; a file of that name is ./-"
            raise UsageError("option-value", f'--out "{out}": - is stdout, which --format decides', hint=hint)
        if any(file == other for _, other in files):
            raise UsageError("option-value", f'--out "{out}": this file is written twice')
        files.append((name, file))
    return Wanted(printing.format or ("json" if console.json else "text"), tuple(files))


def emit(console: Console, report: Report, run: Run) -> None:
    """Write files first, so that what stdout says last is the verdict.

    Raises:
        UsageError: `output-unwritable`, the first one, when all else is written.
    """
    whole = replace(report, repeat=run.repeat)
    unwritable = _written(whole, run.where)
    _printed(console, whole, run.where)
    if unwritable:
        raise unwritable[0]


def _written(report: Report, where: Wanted) -> list[UsageError]:
    """Write the files; returns what could not be."""
    unwritable = []
    for name, file in where.files:
        try:
            write_text(file, render(name, report, Style()))
        except UsageError as error:
            unwritable.append(error)
    return unwritable


def _printed(console: Console, report: Report, where: Wanted) -> None:
    text = render(where.stdout, report, console.out)
    if where.stdout == "github":
        console.commands(text)
    else:
        console.lines(*text.removesuffix("\n").split("\n"))
