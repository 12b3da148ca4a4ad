"""The documented views: complete, described, stable."""

import json
from pathlib import Path

import pytest

from cardtrail.projections.store_catalogue import ShownView, catalogue
from tests.projections.driving import everything

RELEASED = Path(__file__).with_name("views.json")
SHOWN = {view.name: view for view in catalogue(everything().tables)}
UNITS = {"s", "ms", "d"}


def test_what_an_analyst_looks_for_is_there() -> None:
    asked = {"agents", "observations", "capability_spans", "probes", "runtime_errors", "calls", "decisions"}
    assert asked | {"lockfile_status", "provider_reliability", "history"} <= set(SHOWN)


@pytest.mark.parametrize("view", SHOWN.values(), ids=lambda view: view.name)
def test_every_column_has_a_meaning_and_every_measure_a_unit(view: ShownView) -> None:
    assert view.row
    for column in view.columns:
        assert column.meaning, column.name
        assert column.unit in {"", *UNITS}
        named = column.name.rsplit("_", 1)[-1]
        assert column.unit == named or named not in UNITS, column.name


@pytest.mark.parametrize("name", json.loads(RELEASED.read_text()))
def test_a_released_view_keeps_its_columns_and_types_and_only_adds_behind_them(name: str) -> None:
    released = [tuple(column) for column in json.loads(RELEASED.read_text())[name]]
    assert [(column.name, column.type) for column in SHOWN[name].columns][: len(released)] == released


def test_every_view_of_this_release_is_written_down() -> None:
    now = {view.name: [[column.name, column.type] for column in view.columns] for view in SHOWN.values()}
    assert json.loads(RELEASED.read_text()) == now
