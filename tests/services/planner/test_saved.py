"""The snapshot file: what was saved is what is loaded, and a file that is something else is nothing."""

from pathlib import Path

import pytest

from cardtrail.services.planner.saved import Saved, load, save
from tests.services.planner.routes import NOW, TRIP, candidate, route


def made() -> Saved:
    return Saved(workflow=TRIP, principal="public", known_at=NOW, saved_at=NOW, through=7, routes=(route(candidate()),))


def test_what_was_saved_is_loaded(tmp_path: Path) -> None:
    save(tmp_path / "s.json", made())
    assert load(tmp_path / "s.json", TRIP, "public") == made()
    assert [path.name for path in tmp_path.iterdir()] == ["s.json"]


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b'{"format":"cardtrail.planner-snapshot/9"}', b"\xff" * 10])
def test_a_broken_file_is_nothing(tmp_path: Path, data: bytes, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "s.json").write_bytes(data)
    assert load(tmp_path / "s.json", TRIP, "public") is None
    assert "cannot be used" in caplog.text


def test_a_snapshot_of_another_workflow_or_principal_is_nothing(tmp_path: Path) -> None:
    save(tmp_path / "s.json", made())
    assert load(tmp_path / "s.json", "other", "public") is None
    assert load(tmp_path / "s.json", TRIP, "team-b") is None
    assert load(tmp_path / "absent.json", TRIP, "public") is None


def test_a_file_that_cannot_be_replaced_stays_as_it_was_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    (tmp_path / "s.json").mkdir()
    for path in (tmp_path / "absent" / "s.json", tmp_path / "s.json"):
        with pytest.raises(OSError, match=r"s\.json"):
            save(path, made())
    assert [path.name for path in tmp_path.iterdir()] == ["s.json"]
