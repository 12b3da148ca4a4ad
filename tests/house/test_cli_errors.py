"""Error codes are catalogued where scripts can look them up, with the exit code of their class."""

import ast
import re
from collections.abc import Iterator

from cardtrail.services.cli.catalogue.error_codes import ERRORS
from tests.house.tree import modules

ROOTS = {"CardtrailError": 4, "UsageError": 2, "InputRefused": 3, "Unreachable": 4, "InternalError": 70}
VALUES = ("services/card/jws.py", "services/card/verify.py", "services/card/base64url.py")
"""Here a refusal becomes the reason of a signature's outcome, and never leaves as an error."""


def exits() -> dict[str, int]:
    """Name of an error class → its exit code, that of the class it descends from."""
    known = dict(ROOTS)
    classes = [node for tree in modules().values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    for _ in range(3):
        for node in classes:
            for base in node.bases:
                if isinstance(base, ast.Name) and base.id in known and node.name not in ROOTS:
                    known[node.name] = known[base.id]
    return known


def raised() -> Iterator[tuple[str, int, str]]:
    codes = exits()
    for path, tree in modules().items():
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call) or path in VALUES:
                continue
            name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            place = 2 if name == "refuse" else 0
            code = node.args[place] if len(node.args) > place else None
            if name in {*codes, "refuse"} and isinstance(code, ast.Constant) and isinstance(code.value, str):
                yield code.value, codes.get(name, 3), path


def test_every_code_that_is_raised_is_catalogued_with_its_exit_code() -> None:
    missing = {(code, exit_, path) for code, exit_, path in raised() if ERRORS.get(code, (0, ""))[0] != exit_}
    assert missing == set()


def test_codes_are_kebab_case_and_say_something() -> None:
    for code, (exit_, title) in ERRORS.items():
        assert re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", code)
        assert exit_ in {1, 2, 3, 4, 70}
        assert title[0].isupper()
        assert not title.endswith(".")
