"""What a folder says to be a backup is read only where it has an end, and refused with words where it means nothing."""

import asyncio
import json
import os
from pathlib import Path

import pytest

from cardtrail.events.errors import InputRefused
from cardtrail.services.bus.backup import ABOUT, DATA, restore
from cardtrail.services.bus.bus import Bus
from cardtrail.services.cli.audit.backing_up import MANIFEST
from cardtrail.services.cli.outputs.backup import FORMAT
from tests.services.cli.program import cardtrail

STREAM = "CARDTRAIL_FACTS"
EMPTY = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


def backup(folder: Path) -> Path:
    (folder / STREAM).mkdir(parents=True)
    (folder / STREAM / DATA).touch()
    (folder / STREAM / ABOUT).write_text(json.dumps({"config": {"name": STREAM}, "state": {}}))
    one = {"stream": STREAM, "messages": 0, "first": 0, "last": 0, "size": 0, "sha256": EMPTY}
    (folder / MANIFEST).write_text(json.dumps({"format": FORMAT, "release": "0", "streams": [one]}))
    return folder


@pytest.mark.parametrize("where", [MANIFEST, f"{STREAM}/{DATA}", f"{STREAM}/{ABOUT}"])
@pytest.mark.parametrize("what", ["pipe", "device", "absent"])
def test_a_backup_is_read_only_where_it_has_an_end(where: str, what: str, tmp_path: Path) -> None:
    file = backup(tmp_path / "safe") / where
    file.unlink()
    if what == "pipe":
        os.mkfifo(file)
    elif what == "device":
        file.symlink_to("/dev/zero")
    done = cardtrail("restore", tmp_path / "safe", "--json", CARDTRAIL_DATA=str(tmp_path / "data"))
    assert (done.code, done.json["error"]["code"]) == (2, "file-unreadable")


@pytest.mark.parametrize(
    "about",
    ["[" * 100_000, '{"config": {}, "state": {"bytes": Infinity}}', '{"config": [[]], "state": {}}', "9" * 5_000, "{}"],
)
def test_what_means_nothing_is_no_backup_of_a_stream(about: str, tmp_path: Path) -> None:
    folder = backup(tmp_path / "safe") / STREAM
    (folder / ABOUT).write_text(about)
    with pytest.raises(InputRefused) as refused:
        asyncio.run(restore(Bus("nats://127.0.0.1:1", name="none"), folder, {}, lambda _: None))
    assert refused.value.code == "backup-unreadable"
