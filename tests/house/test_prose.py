"""How the code reads: sizes, docstrings, names, nothing left open."""

import ast
import statistics

from tests.house.tree import ROOT, lines, modules

CEILING = 250
SMALL = ("services/verdict/rules/", "services/prober/probes/")
VAGUE = {"utils", "helpers", "common", "manager", "misc"}
OPEN_ENDS = ("TODO", "FIXME", "XXX", "NotImplementedError")


def functions(tree: ast.Module) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


def length(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def test_no_file_outgrows_its_shelf() -> None:
    sizes = {path: lines(path) for path in modules()}
    assert {path: size for path, size in sizes.items() if size > CEILING} == {}
    assert {p: s for p, s in sizes.items() if p.startswith(SMALL) and not p.endswith("__init__.py") and s > 60} == {}
    assert statistics.median(sizes.values()) <= 100


def test_functions_stay_short() -> None:
    lengths = {
        f"{path}:{node.lineno} {node.name}": length(node)
        for path, tree in modules().items()
        for node in functions(tree)
    }
    assert {name: size for name, size in lengths.items() if size > 45} == {}
    ordered = sorted(lengths.values())
    assert ordered[len(ordered) // 2] <= 10
    assert ordered[int(len(ordered) * 0.9)] <= 30


def test_every_module_and_public_function_says_what_it_is() -> None:
    silent = []
    for path, tree in modules().items():
        if not ast.get_docstring(tree):
            silent.append(path)
        for node in tree.body:
            named = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            if named and not node.name.startswith("_") and not ast.get_docstring(node):
                silent.append(f"{path} {node.name}")
    assert silent == []


def test_no_module_has_a_name_that_says_nothing() -> None:
    assert [path for path in modules() if VAGUE & set(path.removesuffix(".py").split("/"))] == []


def test_nothing_is_left_open() -> None:
    found = [f"{p}: {word}" for p in modules() for word in OPEN_ENDS if word in (ROOT / p).read_text("utf-8")]
    assert found == []
