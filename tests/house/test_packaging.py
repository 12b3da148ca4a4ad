"""The wheel holds exactly the tree, under the import name `cardtrail`."""

import subprocess
import sys
import zipfile
from pathlib import Path

from tests.house.tree import ROOT, modules


def test_the_wheel_holds_every_module_and_nothing_else(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    done = subprocess.run(build, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (wheel,) = tmp_path.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    shipped = {name for name in names if name.endswith(".py")}
    assert shipped == {f"cardtrail/{path}" for path in modules()}
    assert {f"cardtrail/{room}/py.typed" for room in ("events", "projections", "services")} <= names
    assert "cardtrail/__init__.py" not in names
    assert {f"cardtrail/{path}" for path in page_files()} <= names
    assert "cardtrail/services/cli/catalogue/cardtrail.toml" in names


def page_files() -> set[str]:
    """What the page needs that is no module."""
    places = (ROOT / "services/web" / part for part in ("templates", "static"))
    return {path.relative_to(ROOT).as_posix() for place in places for path in place.iterdir()}
