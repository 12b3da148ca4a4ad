"""Files that an operator names: read only where they have an end, and whole only where that is near."""

import errno
import stat
from pathlib import Path

LARGEST = 64 << 20
"""Bytes; the largest bundles of root certificates have less than one MiB."""


def regular_file(path: Path, largest: int | None = LARGEST) -> Path:
    """The path, where it leads to a regular file of at most `largest` bytes; None for what is read in pieces.

    Raises:
        OSError: there is none, or it is a device, a pipe or a folder, or larger.
    """
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "not a regular file", str(path))
    if largest is not None and status.st_size > largest:
        raise OSError(errno.EFBIG, f"larger than {largest >> 20} MiB", str(path))
    return path
