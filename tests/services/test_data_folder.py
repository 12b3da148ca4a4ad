"""A tracker whose folder cannot take a log says so before it starts anything."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cardtrail.events.errors import UsageError
from cardtrail.services.bus.streams import sizes_for
from cardtrail.services.data_folder import LEAST_FRESH, audited, is_audited, prepare
from cardtrail.services.settings import BrokerSettings
from tests.services.cli.program import START
from tests.streams import PATIENCE_S

SMALL = 8 << 20


LIMITED = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({0}, {0})); "


def up(data: Path, *, file_size: int) -> "subprocess.CompletedProcess[str]":
    """`cardtrail up` where no file may grow beyond `file_size` bytes; a refusal ends it, so nothing has to be stopped."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("CARDTRAIL_", "NATS_"))}
    return subprocess.run(
        [sys.executable, "-c", LIMITED.format(file_size) + START, "up"],
        env={**kept, "CARDTRAIL_DATA": str(data)},
        cwd=data.parent if data.parent.is_dir() else "/",
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


def test_a_folder_says_that_its_log_is_served_for_an_audit_and_no_longer_than_that(tmp_path: Path) -> None:
    with audited(tmp_path, audit=True):
        assert is_audited(tmp_path)
    assert not is_audited(tmp_path)
    (tmp_path / "audit").touch()  # of a process that was killed
    with audited(tmp_path, audit=False):
        assert not is_audited(tmp_path)


def test_a_disk_that_takes_nothing_is_said_with_folder_and_remedy_and_nothing_is_left(tmp_path: Path) -> None:
    done = up(tmp_path / "data", file_size=4096)
    assert (done.returncode, done.stdout) == (2, "")
    begun, first, second, *rest = done.stderr.splitlines()
    assert begun.startswith("starting ")
    assert first == f"error[data-unwritable] {tmp_path}/data: the data folder cannot be written: File too large"
    assert second.startswith("hint: make room there, or name another folder: CARDTRAIL_DATA=FOLDER")
    assert rest == []
    assert list((tmp_path / "data").iterdir()) == []


@pytest.mark.parametrize(
    ("place", "reason"),
    [
        ("file", "File exists"),
        ("file/below", "Not a directory"),
        ("loop/below", "Too many levels of symbolic links"),
        ("x" * 300, "File name too long"),
    ],
    ids=["file", "below", "loop", "long"],
)
def test_a_folder_that_cannot_be_is_refused_by_name(place: str, reason: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(UsageError, match=reason) as refused:
        prepare(BrokerSettings(data=tmp_path / place), {})
    assert (refused.value.code, refused.value.exit_code) == ("data-unwritable", 2)
    assert refused.value.file == str(tmp_path / place)


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
def test_a_folder_without_the_right_to_write_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(UsageError, match="Permission denied"):
        prepare(BrokerSettings(data=tmp_path / "data"), {})


@pytest.fixture
def disk(tmp_path: Path) -> Path:
    """A disk of 8 MiB, where this account may mount one."""
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={SMALL}", "tmpfs", tmp_path], capture_output=True, check=False
    )
    if made.returncode:
        pytest.skip("no disk may be mounted here")
    return tmp_path


def test_a_disk_without_room_for_a_log_is_refused_and_one_that_holds_a_log_is_not(disk: Path) -> None:
    try:
        with pytest.raises(UsageError, match=r"8 MiB are free .* at least 16 MiB are needed") as refused:
            prepare(BrokerSettings(data=disk), {})
        assert refused.value.code == "disk-full"
        (disk / "nats" / "jetstream").mkdir(parents=True)
        assert 0 < prepare(BrokerSettings(data=disk), {}) < LEAST_FRESH
    finally:
        subprocess.run(["umount", disk], check=True)


def test_where_the_log_lies_elsewhere_little_room_is_enough(disk: Path) -> None:
    try:
        assert prepare(BrokerSettings(data=disk), {"NATS_URL": "nats://broker:4222"}) > 0
        assert prepare(BrokerSettings(data=disk, url="nats://broker:4222"), {}) > 0
    finally:
        subprocess.run(["umount", disk], check=True)


@pytest.mark.parametrize("most", [50 << 20, 1 << 30])
def test_the_log_takes_no_more_than_the_settings_let_it(most: int, tmp_path: Path) -> None:
    sizes = sizes_for(prepare(BrokerSettings(data=tmp_path, max_bytes=most), {}))
    assert 0.9 * most < sizes.facts + sizes.bodies + sizes.reports <= most
