"""Reads one DuckDB file from end to end, as a child: DuckDB may abort the whole process on a damaged one.

`python -m cardtrail.projections.store_check FILE` ends with 0 (readable), 3 (not readable; one line on stderr says why), 4
(locked) or 5 (the machine is at fault, not the file).
"""

import errno
import os
import sys
from pathlib import Path

import duckdb

from cardtrail.projections.store_errors import StoreAway, foreign
from cardtrail.projections.store_generations import LOCKED, MACHINE

UNREADABLE = 3
_MACHINE = tuple(
    os.strerror(number).lower()
    for number in (
        errno.ENOSPC,
        errno.EDQUOT,
        errno.EFBIG,
        errno.EMFILE,
        errno.ENFILE,
        errno.EACCES,
        errno.EPERM,
        errno.EROFS,
    )
)


def check(path: Path) -> int:
    """The exit status for this file; opening it replays what its WAL holds."""
    try:
        with foreign(), duckdb.connect(str(path), config={"memory_limit": "256MiB"}) as database:
            names = database.execute("SELECT table_name FROM duckdb_tables() ORDER BY 1").fetchall()
            for (name,) in names:
                database.execute(f'SELECT bit_xor(hash(COLUMNS(*))) FROM "{name}"').fetchall()  # noqa: S608 — names of our tables
    except StoreAway as away:
        sys.stderr.write(away.message + "\n")
        return LOCKED if away.code == "store-locked" else MACHINE if _is_machine(away) else UNREADABLE
    except MemoryError:
        return MACHINE
    return 0


def _is_machine(away: StoreAway) -> bool:
    """A healthy file must not be given up because there is no memory, room or leave to open it."""
    if isinstance(away.__cause__, duckdb.OutOfMemoryException):
        return True
    said = str(away.__cause__).lower()
    return isinstance(away.__cause__, duckdb.IOException) and any(word in said for word in _MACHINE)


if __name__ == "__main__":
    sys.exit(check(Path(sys.argv[1])))
