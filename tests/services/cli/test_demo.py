"""The demo as somebody sees it who stops it."""

import signal
import subprocess
import sys
from pathlib import Path

from tests.services.cli.program import START, interruptible


def test_a_demo_that_is_stopped_ends_in_one_plain_line_and_leaves_nothing(tmp_path: Path) -> None:
    run = [sys.executable, "-c", START, "demo"]
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "env": {"TMPDIR": str(tmp_path)}}
    with interruptible(run, **options) as child:
        assert child.stderr is not None
        said = [child.stderr.readline()]
        child.send_signal(signal.SIGINT)
        said += child.communicate()[1].splitlines()
    assert said[0].startswith("starting a NATS server")
    assert said[1:] == ["The demo was stopped before its end; its server, its agents and its files are gone."]
    assert (child.returncode, list(tmp_path.iterdir())) == (130, [])
