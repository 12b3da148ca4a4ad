"""What a question of an analyst may take of this process, where the database's own bounds do not reach.

One call of a function is memory that DuckDB does not count, and cannot be interrupted: the kernel refuses the memory, and a
process that is still at it some seconds after its time is ended, with the same words.
"""

import os
import resource
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from cardtrail.projections.store_errors import too_long
from cardtrail.projections.store_reader import Reader
from cardtrail.services.cli.shell.console import Console, flush
from cardtrail.services.cli.shell.failure import tell

_MEMORY = 2 << 30
"""Bytes beyond what the process has: DuckDB's own 512 MiB, the answer in Python, and room."""
_GRACE_S = 3.0
_DATA = "VmData:"


@contextmanager
def bounded(console: Console, reader: Reader, seconds: float) -> Iterator[None]:
    """For the time of one question."""
    done = threading.Event()

    def end() -> None:
        if done.wait(seconds + _GRACE_S):
            return
        reader.abandon()
        code = tell(console, too_long(seconds))
        with suppress(OSError):
            flush()
        os._exit(code)

    watching = threading.Thread(target=end, daemon=True)
    before = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (_most(before), before[1]))
    watching.start()
    try:
        yield
    finally:
        done.set()
        resource.setrlimit(resource.RLIMIT_DATA, before)


def _most(limits: tuple[int, int]) -> int:
    """The soft limit in bytes; as it was where the system does not say what the process has, or has set less."""
    try:
        lines = Path("/proc/self/status").read_text("ascii").splitlines()
        held = next(int(line.split()[1]) << 10 for line in lines if line.startswith(_DATA))
    except (OSError, StopIteration, ValueError):
        return limits[0]
    return min((one for one in (held + _MEMORY, *limits) if one != resource.RLIM_INFINITY), default=limits[0])
