"""What tests of several rooms share: one browser, and the rules of what it shows; started when first asked for."""

import subprocess
from collections.abc import Iterator

import pytest
from hypothesis import settings

from tests.browser import Browser, found

AXE = "axe-core@4.14.1"
settings.register_profile("suite", deadline=None)  # an example that is slow on a busy machine breaks no law
settings.load_profile("suite")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A real Chromium."""
    if found() is None:
        pytest.skip("no chromium on this machine")
    with Browser.started() as started:
        yield started


@pytest.fixture(scope="session")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The accessibility rules as a script."""
    folder = tmp_path_factory.mktemp("axe")
    try:
        done = subprocess.run(
            ["npm", "pack", "--silent", AXE], cwd=folder, capture_output=True, timeout=60, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        pytest.skip(f"no npm registry: {error}")
    if done.returncode:
        pytest.skip(f"no npm registry: {done.stderr.decode()[:200]}")
    (archive,) = folder.glob("*.tgz")
    subprocess.run(["tar", "xzf", archive.name], cwd=folder, check=True)
    return (folder / "package" / "axe.min.js").read_text()
