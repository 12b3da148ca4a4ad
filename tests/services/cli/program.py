"""The program as a shell sees it: arguments, environment and streams in; exit code and text out.

`cardtrail` runs it in this process, with streams of its own, which takes a tenth of the time; `child` starts a real one.
"""

import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

from cardtrail.services.cli.shell.running import run

KEPT = ("PATH", "HOME", "COVERAGE_PROCESS_START")
START = "import sys; from cardtrail.services.cli.main import main; sys.argv[0] = 'cardtrail'; main()"


class Done(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def cardtrail(
    *arguments: str | Path, stdin: bytes = b"", cwd: Path | None = None, encoding: str = "utf-8", **environ: str
) -> Done:
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding, write_through=True, newline="\n") for _ in range(2))
    with _environment(environ), chdir(cwd or Path()), _stdin(stdin), redirect_stdout(out), redirect_stderr(err):
        code = run([str(argument) for argument in arguments])
    said = (stream.buffer.getvalue().decode(encoding) for stream in (out, err))  # type: ignore[attr-defined]
    return Done(code, *said)


def child(*arguments: str | Path, encoding: str = "utf-8", **environ: str) -> Done:
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    done = subprocess.run(
        [sys.executable, "-c", START, *map(str, arguments)],
        capture_output=True,
        env={**kept, "PYTHONIOENCODING": encoding, **environ},
        check=False,
    )
    return Done(done.returncode, done.stdout.decode(encoding), done.stderr.decode(encoding))


@contextmanager
def interruptible(run: list[str], **options: Any) -> Iterator[subprocess.Popen[Any]]:
    """A child that hears Ctrl-C, also where this process was told to ignore it (`nohup`, a shell's `&`)."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        child = subprocess.Popen(run, **options)
    finally:
        signal.signal(signal.SIGINT, before)
    with child:
        yield child


def asleep(child: int) -> None:
    """Returns once a child waits in a system call: a signal before that may fall between two of its calls, and be late."""
    state = Path(f"/proc/{child}/stat")
    while state.read_text().rpartition(")")[2].split()[0] != "S":
        os.sched_yield()


@contextmanager
def _environment(environ: dict[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.clear()
    os.environ.update({name: before[name] for name in KEPT if name in before} | environ)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


@contextmanager
def _stdin(data: bytes) -> Iterator[None]:
    before, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(data))
    try:
        yield
    finally:
        sys.stdin = before
