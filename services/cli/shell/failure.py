"""How a run ends that could not do its work: one error line and one hint, or one JSON object; never a traceback.

Exit codes (`cardtrail help exit-codes`): 2 usage or configuration, 3 input refused, 4 unreachable; 70 is a defect of ours.
"""

import errno
import json
import os
import re
from platform import python_version
from traceback import walk_tb

import click

from cardtrail.events.errors import CardtrailError, UsageError
from cardtrail.services.cli.main import DEFECT
from cardtrail.services.cli.shell.console import Console, Style
from cardtrail.services.cli.shell.release import release
from cardtrail.services.cli.shell.text import plain

CLOSED_PIPE = 141
_MESSAGE = 500
_CLICK: tuple[tuple[type[click.UsageError], str], ...] = (
    (click.exceptions.NoSuchCommand, "command-unknown"),
    (click.NoSuchOption, "option-unknown"),
    (click.MissingParameter, "argument-missing"),
    (click.BadParameter, "option-value"),
)
_NO_NUMBER = re.compile(r"is not a valid (integer|float)( range)?")
_OURS = "cardtrail."
_PATH = re.compile(r"(?<![\w:/.])(?:/[^/\s]+)+/(?=[^/\s]+)")
_REFUSALS = frozenset(
    getattr(errno, name)
    for name in (
        *("ENOSPC", "EDQUOT", "EFBIG", "EROFS", "EACCES", "EPERM", "EIO", "ENAMETOOLONG", "ELOOP"),
        *("EMFILE", "ENFILE", "ENOMEM", "EAGAIN", "ENOTDIR", "EISDIR", "EEXIST", "ENOENT", "ETXTBSY"),
    )
)
"""What a machine refuses and no code of ours can help."""


class InternalError(CardtrailError):
    """A defect of ours, told in one line."""

    exit_code = DEFECT


def tell(console: Console, error: CardtrailError) -> int:
    """Tell the error: an object on stdout in JSON mode, else a line and a hint each on stderr; returns the exit code."""
    if console.json:
        console.document({"error": envelope(error)})
    else:
        for each in problems(error):
            console.problem(*error_lines(console.err, each))
    return error.exit_code


def problems(error: CardtrailError) -> list[CardtrailError]:
    """All that an error tells of: a settings file may have more than one thing wrong."""
    return getattr(error, "problems", None) or [error]


def error_lines(style: Style, error: CardtrailError) -> list[str]:
    """`error[code] file:line:col path: what`, then `hint: …`."""
    place = ":".join(plain(part) for part in (error.file, error.line, error.column) if part)
    where = " ".join(part for part in (place, plain(error.path)) if part)
    head = style.paint(f"error[{plain(error.code)}]", "error")
    what = plain(error.message, _MESSAGE)
    line = f"{head} {where}: {what}" if where else f"{head} {what}"
    return [line, *([f"hint: {plain(error.hint, _MESSAGE)}"] if error.hint else [])]


def envelope(error: CardtrailError) -> dict[str, object]:
    """The error as an object; what is not known is null."""
    return {
        "code": error.code,
        "message": error.message,
        "hint": error.hint or None,
        "a2aCode": getattr(error, "a2a_code", None),
        "file": error.file or None,
        "line": error.line or None,
        "column": error.column or None,
        "path": error.path or None,
        "exit": error.exit_code,
    }


def told(error: Exception) -> CardtrailError:
    """Whatever was raised, as an error of ours; of several that tasks beside each other raised a defect, else the first."""
    if isinstance(error, ExceptionGroup):
        each = [told(one) for one in error.exceptions]
        return next((one for one in each if isinstance(one, InternalError)), each[0])
    if isinstance(error, CardtrailError):
        return error
    if isinstance(error, click.ClickException):
        return _from_click(error)
    return _refused(error) if isinstance(error, OSError) and error.errno in _REFUSALS else _defect(error)


def _from_click(error: click.ClickException) -> UsageError:
    """A usage error in our words, with near names as the hint."""
    code = next((code for kind, code in _CLICK if isinstance(error, kind)), "usage")
    near = getattr(error, "possibilities", None)
    context = getattr(error, "ctx", None)
    name = context.command_path if context else "cardtrail"
    hint = f"did you mean {' or '.join(near)}?" if near else f"{name} --help"
    return UsageError(code, _message(error), hint=hint)


def _refused(error: OSError) -> UsageError:
    """What the system does not give us: a fault of this machine, not of ours."""
    reason = error.strerror or type(error).__name__
    file = error.filename if isinstance(error.filename, str | bytes | os.PathLike) else ""
    hint = "the disk, the rights on it and the limits of this account are to be looked at"
    return UsageError("system-refused", reason, hint=hint, file=os.fsdecode(file))


def _defect(error: Exception) -> InternalError:
    """Anything that should not have come this far: release, kind and our own line, for a ticket."""
    ours = [
        f" in {name.removeprefix(_OURS)}, line {line}"
        for frame, line in walk_tb(error.__traceback__)
        if (name := str(frame.f_globals.get("__name__", ""))).startswith(_OURS)
    ]
    place = ours[-1] if ours else ""
    lines = (
        line.strip() for line in str(error).splitlines() if not line.lstrip().startswith("For further information")
    )
    what = _PATH.sub("", f"{type(error).__name__}{place}: {' '.join(lines)}")
    return InternalError(
        "internal-error",
        f"cardtrail {release()}, Python {python_version()}: {what}",
        hint="a defect in cardtrail; please report the line above and the command you gave",
    )


def _message(error: click.ClickException) -> str:
    if isinstance(error, click.exceptions.NoSuchCommand):
        return f"{json.dumps(error.command_name)} is no command"
    if isinstance(error, click.NoSuchOption):
        return f"{error.option_name} is no option here"
    if isinstance(error, click.BadParameter) and not isinstance(error, click.MissingParameter):
        name = error.param.opts[0] if error.param and error.param.opts else ""
        if isinstance(error.param, click.Argument):
            name = name.upper()
        separator = " " if isinstance(error.param and error.param.type, click.Choice) else ": "
        return f"{name}{separator}{_ours(error.message)}" if name else _ours(error.message)
    return _ours(error.format_message())


def _ours(message: str) -> str:
    """A sentence of click's as ours are written."""
    plainly = _NO_NUMBER.sub("is no number", message)
    return plainly[:1].lower() + plainly[1:].removesuffix(".")
