"""A new secret in a file that only its owner reads."""

import os
from pathlib import Path

from cardtrail.events.errors import UsageError


def new_secret_file(path: Path, text: str) -> None:
    """Write it; folders are made.

    Raises:
        UsageError: `output-unwritable`, also where the file is there already: a key is never overwritten.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "no such name is possible"
        raise UsageError("output-unwritable", f"no new key can be written: {reason}", file=str(path)) from error
    with os.fdopen(descriptor, "w") as file:
        file.write(text + "\n")
