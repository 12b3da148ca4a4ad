"""What a program imports: every public name is there, and costs nothing before it is asked for."""

import subprocess
import sys

from cardtrail.services import planner

LOOK = "import sys, cardtrail.services.planner; print(*{'httpx', 'a2a', 'nats', 'faststream', 'pydantic'} & sys.modules.keys())"


def test_every_public_name_is_found() -> None:
    for name in planner.__all__:
        assert getattr(planner, name).__name__ == name


def test_the_package_itself_imports_nothing_heavy() -> None:
    done = subprocess.run([sys.executable, "-c", LOOK], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
