import asyncio
import hashlib
import json
from pathlib import Path

import duckdb
import pytest

from cardtrail.events.errors import UsageError
from cardtrail.projections.store_archive import MANIFEST, archive
from tests.bench.generate import BIG, Generator
from tests.projections.test_store_reader import filled

COUNT = 200_000 if BIG else 1500
FACTS = list(Generator(500 if BIG else 20, seed=3, step=3 if BIG else 300).facts(COUNT))


@pytest.fixture(scope="module")
def snapshots(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The store as it was after two thirds of the facts, and after all."""
    return (
        asyncio.run(filled(tmp_path_factory.mktemp("early"), FACTS[: COUNT * 2 // 3])),
        asyncio.run(filled(tmp_path_factory.mktemp("whole"), FACTS)),
    )


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_an_archive_is_every_fact_by_day_and_kind_in_order(snapshots: tuple[Path, Path], tmp_path: Path) -> None:
    done = archive(snapshots[1], tmp_path)
    assert (done.facts, done.through) == (COUNT, COUNT)
    place = str(tmp_path / "history/*/*/*.parquet")
    found = duckdb.read_parquet(place, hive_partitioning=True).select("sequence, event").order("sequence").fetchall()
    assert [(sequence, event.encode()) for sequence, event in found] == [(one.sequence, one.raw) for one in FACTS]
    for stored in FACTS[:: len(FACTS) // 20]:
        day, kind = stored.stored_at.date().isoformat(), stored.fact.data.kind
        part = duckdb.read_parquet(str(tmp_path / f"history/day={day}/kind={kind}/facts.parquet"))
        sequences = [row[0] for row in part.select("sequence").fetchall()]
        assert stored.sequence in sequences
        assert sequences == sorted(sequences)


def test_the_manifest_says_what_is_in_each_file(snapshots: tuple[Path, Path], tmp_path: Path) -> None:
    archive(snapshots[1], tmp_path)
    told = json.loads((tmp_path / MANIFEST).read_text())
    assert sum(part["rows"] for part in told["files"]) == told["facts"] == COUNT
    for part in told["files"]:
        assert hashlib.sha256((tmp_path / part["file"]).read_bytes()).hexdigest() == part["sha256"]
    assert files(tmp_path).keys() == {MANIFEST, *(part["file"] for part in told["files"])}


def test_growing_an_archive_writes_only_what_is_new_and_ends_as_one_written_at_once(
    snapshots: tuple[Path, Path], tmp_path: Path
) -> None:
    early, whole = snapshots
    first = archive(early, tmp_path / "grown")
    assert archive(early, tmp_path / "grown").written == 0
    second = archive(whole, tmp_path / "grown")
    at_once = archive(whole, tmp_path / "once")
    assert second.written < at_once.written == at_once.files
    assert first.files < second.files
    assert files(tmp_path / "grown") == files(tmp_path / "once")


def test_a_file_that_went_missing_is_written_again(snapshots: tuple[Path, Path], tmp_path: Path) -> None:
    archive(snapshots[1], tmp_path)
    before = files(tmp_path)
    next(tmp_path.rglob("*.parquet")).unlink()
    assert archive(snapshots[1], tmp_path).written == 1
    assert files(tmp_path) == before


@pytest.mark.parametrize("told", ["{", "[]", '{"format": "cardtrail.parquet/9"}'])
def test_a_folder_that_is_no_archive_of_this_release_is_left_alone(
    snapshots: tuple[Path, Path], tmp_path: Path, told: str
) -> None:
    (tmp_path / MANIFEST).write_text(told)
    with pytest.raises(UsageError) as refused:
        archive(snapshots[0], tmp_path)
    assert refused.value.code == "archive-foreign"
    assert files(tmp_path) == {MANIFEST: told.encode()}


def test_the_archive_of_another_log_is_left_alone(snapshots: tuple[Path, Path], tmp_path: Path) -> None:
    other = asyncio.run(filled(tmp_path / "other", list(Generator(5, seed=99).facts(50))))
    archive(snapshots[0], tmp_path / "facts")
    before = files(tmp_path / "facts")
    with pytest.raises(UsageError) as refused:
        archive(other, tmp_path / "facts")
    assert refused.value.code == "archive-foreign"
    assert files(tmp_path / "facts") == before
