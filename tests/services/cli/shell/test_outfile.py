"""A result is written whole, where the name leads, or it is said why not; nothing half is left."""

import os
from pathlib import Path

import pytest

from cardtrail.events.errors import UsageError
from cardtrail.services.cli.shell.outfile import write_text


def test_a_link_is_written_where_it_leads(tmp_path: Path) -> None:
    (tmp_path / "real.json").write_text("old")
    (tmp_path / "link.json").symlink_to("real.json")
    write_text(str(tmp_path / "link.json"), "new")
    assert (tmp_path / "link.json").is_symlink()
    assert (tmp_path / "real.json").read_text() == "new"


def test_a_link_to_what_is_not_there_yet_makes_it(tmp_path: Path) -> None:
    (tmp_path / "link.json").symlink_to("later.json")
    write_text(str(tmp_path / "link.json"), "new")
    assert (tmp_path / "later.json").read_text() == "new"


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("", '"" names no file'),
        ("loop", "too many levels"),
        ("folder", "is a directory"),
        ("x" * 300, "too long"),
        ("file/below", "cannot be written"),
        ("a\0b", "cannot be written"),
    ],
)
def test_what_cannot_be_written_is_refused_and_left_as_it_was(tmp_path: Path, name: str, reason: str) -> None:
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("")
    before = sorted(path.name for path in tmp_path.iterdir())
    with pytest.raises(UsageError, match=reason) as refused:
        write_text(str(tmp_path / name) if name else "", "text")
    assert refused.value.code == "output-unwritable"
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_a_pipe_is_written_as_it_is(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    write_text(str(tmp_path / "pipe"), "text")
    assert os.read(reader, 100) == b"text"
    os.close(reader)
