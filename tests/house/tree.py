"""The tree as the house tests see it: every module of ours, parsed once."""

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("events", "projections", "services")


@cache
def modules() -> dict[str, ast.Module]:
    """Path relative to the root → syntax tree, of everything that ships."""
    found = sorted(path for room in ROOMS for path in (ROOT / room).rglob("*.py"))
    return {path.relative_to(ROOT).as_posix(): ast.parse(path.read_text("utf-8")) for path in found}


def lines(path: str) -> int:
    """How long a file is."""
    return len((ROOT / path).read_text("utf-8").splitlines())
