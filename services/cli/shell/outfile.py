"""Writing a result to a file: whole or not at all."""

import os
from contextlib import suppress
from pathlib import Path

from cardtrail.events.errors import UsageError


def write_text(file: str, text: str) -> None:
    """Write a file beside its place and move it there, so that no reader sees half; folders are made below here alone.

    A device or a pipe (`/dev/stdout`) is written as it is, a link where it leads.

    Raises:
        UsageError: `output-unwritable`.
    """
    if not file:
        raise UsageError("output-unwritable", '"" names no file', hint="name a file")
    if file == "-":
        hint = "leave the option out for stdout; a file of that name is ./-"
        raise UsageError("output-unwritable", "- is stdout, and no file", hint=hint)
    try:
        path = Path(file).resolve() if Path(file).is_symlink() else Path(file)
        if path.is_dir() or (path.is_absolute() and not path.parent.is_dir()):
            reason = "is a directory" if path.is_dir() else f"there is no folder {path.parent}"
            raise UsageError("output-unwritable", f"cannot be written: {reason}", hint="name a file", file=file)
        _written(path, text)
    except (OSError, ValueError, RuntimeError) as error:  # RuntimeError: links that lead in a circle
        reason = getattr(error, "strerror", None) or "too many levels of symbolic links"
        raise UsageError("output-unwritable", f"cannot be written: {reason}", file=file) from error


def _written(path: Path, text: str) -> None:
    half = path.with_name(f".{path.name}.{os.getpid()}")
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and not path.is_file():
        path.write_text(text, "utf-8", errors="backslashreplace")
        return
    try:
        half.write_text(text, "utf-8", errors="backslashreplace")
        half.replace(path)
    except BaseException:  # Ctrl-C, too, leaves no half behind
        with suppress(OSError):
            half.unlink()
        raise
