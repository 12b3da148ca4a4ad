"""The sealer's files survive what a disk does to those that are not written through."""

import os
from pathlib import Path

import pytest

from cardtrail.services.seal_files import Record, heads


def test_a_head_is_on_disk_before_it_has_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The power may be cut at any moment: a name must never stand for bytes that are not there."""
    synced: list[tuple[str, bool]] = []
    place = tmp_path / "000000000005.checkpoint"
    seen = lambda fd: synced.append((str(Path(f"/proc/self/fd/{fd}").readlink()), place.exists()))  # noqa: E731 — one line
    monkeypatch.setattr(os, "fsync", seen)
    record = Record(tmp_path)
    record.keep(5, "note\n")
    record.close()
    assert synced == [(str(place.with_suffix(".growing")), False)]
    assert list(heads(tmp_path)) == [(place.name, "note\n")]
