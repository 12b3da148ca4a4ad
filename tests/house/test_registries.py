"""A new thing is one file and one line: a line that was forgotten fails here with its name (rules: `test_rules.py`)."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from cardtrail.events import EVENTS
from cardtrail.projections import PROJECTIONS
from cardtrail.services.fetcher.sources import SOURCES
from cardtrail.services.prober.probes import PROBES
from tests.house.tree import ROOT, modules


def classes(folder: str) -> Iterator[ast.ClassDef]:
    for path, tree in modules().items():
        if Path(path).parent.as_posix() == folder:
            yield from (node for node in tree.body if isinstance(node, ast.ClassDef))


def members(node: ast.ClassDef) -> set[str]:
    """Methods, and attributes that have a value."""
    found = {one.name for one in node.body if isinstance(one, ast.FunctionDef)}
    assigned = (one.targets for one in node.body if isinstance(one, ast.Assign))
    return found | {target.id for targets in assigned for target in targets if isinstance(target, ast.Name)}


def test_every_event_is_registered_and_has_a_stored_sample() -> None:
    bases = {"Event", "AgentEvent"}
    told = {node.name for node in classes("events") if bases & {ast.unparse(base) for base in node.bases}}
    assert told - bases == {event.__name__ for event in EVENTS.values()}
    samples = {path.name for path in (ROOT / "tests/events/samples").glob("*.json")}
    assert {f"{event.kind}.v{event.version}.json" for event in EVENTS.values()} <= samples


def test_every_projection_is_registered() -> None:
    folds = {node.name for node in classes("projections") if {"name", "apply"} <= members(node)}
    assert folds == {type(projection.fold).__name__ for projection in PROJECTIONS}


@pytest.mark.parametrize(
    ("folder", "registry"), [("services/prober/probes", PROBES), ("services/fetcher/sources", SOURCES)]
)
def test_every_file_of_the_folder_is_registered_under_its_name(folder: str, registry: dict[str, object]) -> None:
    files = {Path(path).stem for path in modules() if Path(path).parent.as_posix() == folder}
    assert files - {"__init__"} == {name.replace("-", "_") for name in registry}
