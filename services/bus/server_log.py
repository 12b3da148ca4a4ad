"""What a server of ours says, in a file that does not grow for ever."""

import contextlib
from pathlib import Path

_MOST = 8 << 20


def keep(file: Path, line: str, most: int = _MOST) -> None:
    """Append a line; beyond `most` bytes the file becomes `<name>.1`, in place of the one before, and a new one is begun.

    A disk that takes nothing is passed over: whoever reads what the server says must go on, or the server stands still behind it.
    """
    with contextlib.suppress(OSError):
        if file.exists() and file.stat().st_size >= most:
            file.replace(file.with_name(f"{file.name}.1"))
        with file.open("a") as log:
            log.write(line)
