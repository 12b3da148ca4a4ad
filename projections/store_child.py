"""Work on a store's file in a process of its own, which may abort: bounded in time, given up when the store is closed.

`python -m cardtrail.projections.store_child MODULE ARGUMENT…` runs a module as a child: it ends at once when its parent does, for
as long as it lives it may hold the file.
"""

import os
import runpy
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from typing import NamedTuple

from cardtrail.projections.store_errors import StoreAway

_SELF = "cardtrail.projections.store_child"
_LONGEST_S, _TICK_S = 600.0, 0.1


class Ended(NamedTuple):
    """How a child ended: its exit status (negative: by a signal), and what it said."""

    status: int
    said: str


def in_child(module: str, arguments: Sequence[str], closing: threading.Event | None = None) -> Ended:
    """Run `python -m module` to its end.

    Raises:
        StoreAway: `store-failed`: it took longer than ten minutes, or the store was `closing` meanwhile.
    """
    command = [sys.executable, "-m", _SELF, module, *arguments]
    with (
        tempfile.TemporaryFile() as said,
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=said) as child,  # noqa: S603 — ourselves
    ):
        for _ in range(int(_LONGEST_S / _TICK_S)):
            try:
                status = child.wait(_TICK_S)
            except subprocess.TimeoutExpired:
                if closing is not None and closing.is_set():
                    break
                continue
            said.seek(0)
            return Ended(status, said.read().decode("utf-8", "replace").strip())
        child.kill()
    why = "the store is being closed" if closing is not None and closing.is_set() else f"{module} took too long"
    raise StoreAway("store-failed", why)


def _end_with_parent() -> None:
    """The parent holds the other end of standard input and writes nothing."""
    while os.read(0, 4096):
        pass
    os._exit(1)


if __name__ == "__main__":
    threading.Thread(target=_end_with_parent, daemon=True).start()
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
